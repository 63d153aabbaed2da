import type { ReplyTo } from '#actors/actor-type.ts';
import { seatActor } from '#actors/seat-actor.ts';
import type { Ctx } from '#domain/context.ts';
import type { SeatCommand, SeatProtocol } from '#domain/events/seat-commands.ts';
import type { ApiDeps } from '../deps.ts';

interface EventCall {
  readonly ctx: Ctx;
  readonly deps: ApiDeps;
  readonly params: { readonly event_id: string };
}

/** Sends a command to the actor of the event in the path. */
export function askEvent<const Command extends SeatCommand>(
  { ctx, deps, params }: EventCall,
  command: Command,
): Promise<ReplyTo<SeatProtocol, Command>> {
  return deps.actors.ask(seatActor, params.event_id, command, { cause: ctx.cause });
}
