/** The rounds that finish the work of suspensions and closed accounts, even after a crash in between. */
import type { ActorClient } from '#actors/actor-client.ts';
import { giveSeatsBack } from '#actors/give-seats-back.ts';
import { expireClosedBalances } from '#domain/account/close-account.ts';
import { renameLeftSeats } from '#domain/account/leave-events.ts';
import type { Ctx } from '#domain/context.ts';
import { endRunsOfAbsentAgents } from '#domain/moderation/end-runs-of-absent-agents.ts';
import { Setbacks } from '#domain/setbacks.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { type Rounds, startRounds } from './rounds.ts';

export function startAbsence(ctx: Ctx, actors: ActorClient, logger: Logger): readonly Rounds[] {
  const setbacks = new Setbacks(ctx.clock);
  return [
    startRounds({
      name: 'end runs of absent agents',
      everyMs: 5_000,
      logger,
      work: () => endRunsOfAbsentAgents(ctx, setbacks),
    }),
    startRounds({
      name: 'give seats back',
      everyMs: 5_000,
      logger,
      work: () => giveSeatsBack(ctx, actors, null),
    }),
    startRounds({
      name: 'rename seats of closed accounts',
      everyMs: 2_000,
      logger,
      work: () => renameLeftSeats(ctx),
    }),
    startRounds({
      name: 'expire balances of closed accounts',
      everyMs: 10_000,
      logger,
      work: () => expireClosedBalances(ctx),
    }),
  ];
}
