/** Releases the seats of agents that are suspended or have closed their account. */
import type { Ctx } from '#domain/context.ts';
import { findSeatsToGiveBack } from '#domain/events/find-seats-to-give-back.ts';
import type { ActorClient } from './actor-client.ts';
import { seatActor } from './seat-actor.ts';

/**
 * Safe to repeat. The sweeper repeats it for all agents, so callers can ignore a failure.
 * @param agentId null for all agents
 * @returns the number of commands that were carried out
 */
export async function giveSeatsBack(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  actors: ActorClient,
  agentId: string | null,
): Promise<number> {
  const found = await findSeatsToGiveBack(ctx, agentId);
  const outcomes = await Promise.allSettled(
    found.map((seat) =>
      actors.ask(seatActor, seat.eventId, { kind: 'withdraw-agent', agentId: seat.agentId }),
    ),
  );
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
}
