/** Asks the actor of an event. */
import type { Cause } from '#runtime/tracing/cause.ts';
import type { SeatCommand, SeatReplies } from '#domain/events/seat-commands.ts';
import type { ActorClient } from './actor-client.ts';
import { readSeatReply } from './seat-wire.ts';

/** Cancelling an event may mean to refund thousands of seats. */
const eventCancellationTimeoutMs = 30_000;

/** @throws DomainError the refusal of the command, queue_unavailable, event_not_found */
export async function askSeatActor<Command extends SeatCommand>(
  actors: ActorClient,
  eventId: string,
  command: Command,
  cause?: Cause,
): Promise<SeatReplies[Command['kind']]> {
  const kind: Command['kind'] = command.kind;
  const reply = await actors.ask(`seat/${eventId}`, command, {
    cause,
    ...(kind === 'cancel-event' ? { timeoutMs: eventCancellationTimeoutMs } : {}),
  });
  return readSeatReply(kind, reply);
}
