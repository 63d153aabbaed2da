import { sql } from 'drizzle-orm';
import { lockName } from '#db/locks.ts';
import { rankedRunsMin } from '#db/schema/index-conditions.ts';
import type { TransactionCtx } from '../context.ts';
import { invariant } from '../errors.ts';
import { roundToTenth } from '#evals/suite/round-to-tenth.ts';
import { meanOfRuns } from './mean-of-runs.ts';
import { type BoardKey, findNewestRankedRuns, type RankedRun } from './newest-ranked-runs.ts';

/** Updates the agent's entry. Call it once for each ranked run, in the transaction that completes the run. */
export async function recordRankedRun(ctx: TransactionCtx, board: BoardKey): Promise<void> {
  const { db } = ctx;
  const { leaderboardEntries: entries } = db.tables;
  // Two runs of an agent may complete at the same time, and each must see the other.
  await lockName(db, `leaderboard:${board.agentId}`);
  const last = await findNewestRankedRuns(ctx, board, rankedRunsMin);
  const [newest] = last;
  invariant(newest !== undefined, 'The run has already been completed.');
  const entry = { ...standingOf(last), host: newest.host, lastRunAt: newest.finishedAt };
  await db.query
    .insert(entries)
    .values({ ...board, runs: 1, ...entry })
    .onConflictDoUpdate({
      target: [entries.agentId, entries.product, entries.suiteVersion, entries.packHash],
      set: { ...entry, runs: sql`${entries.runs} + 1` },
    });
}

function standingOf(runs: readonly RankedRun[]) {
  const { score, interval, level } = meanOfRuns(runs);
  return {
    score: roundToTenth(score),
    low: roundToTenth(interval.low),
    high: roundToTenth(interval.high),
    levelValue: roundToTenth(level.value),
    levelSe: roundToTenth(level.se),
  };
}
