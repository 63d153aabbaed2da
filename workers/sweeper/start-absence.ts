/** The rounds that finish the work of suspensions and closed accounts, even after a crash in between. */
import type { ActorClient } from '#actors/actor-client.ts';
import { giveSeatsBack } from '#actors/give-seats-back.ts';
import { expireClosedBalances } from '#domain/account/close-account.ts';
import { renameCopies, renameLeftSeats } from '#domain/account/rename-copies.ts';
import type { Ctx } from '#domain/context.ts';
import { endRunsOfAbsentAgents } from '#domain/moderation/end-runs-of-absent-agents.ts';
import { Setbacks } from '#domain/setbacks.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { type Rounds, startRounds } from './rounds.ts';

export function startAbsence(
  ctx: Ctx,
  actors: ActorClient,
  logger: Logger,
  eraseRemains: () => Promise<number>,
): readonly Rounds[] {
  const setbacks = { runs: new Setbacks(ctx.clock), renames: new Setbacks(ctx.clock) };
  return [
    startRounds({
      name: 'end runs of absent agents',
      everyMs: 5_000,
      logger,
      work: () => endRunsOfAbsentAgents(ctx, setbacks.runs),
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
      name: 'rename closed accounts',
      everyMs: 2_000,
      logger,
      work: () => renameCopies(ctx, setbacks.renames),
    }),
    startRounds({ name: 'erase remains of closed accounts', everyMs: 2_000, logger, work: eraseRemains }),
    startRounds({
      name: 'expire balances of closed accounts',
      everyMs: 10_000,
      logger,
      work: () => expireClosedBalances(ctx),
    }),
  ];
}
