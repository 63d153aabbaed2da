/** Keeps an agent's entry on a leaderboard: the mean of its newest ranked runs, with its interval. */
import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import { lockName } from '#db/transaction.ts';
import { isRankedRun, rankedRunsMin } from '#db/schema/index-conditions.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { costOfRuns, meanOfRuns, type RunFigures, type RunTaken } from '#evals/run-figures.ts';
import type { TransactionCtx } from '../context.ts';
import { unitsPerPoint } from './select-listed.ts';
import { invariant } from '../errors.ts';

/** Updates the agent's entry. Call it once for each ranked run, in the transaction that completes the run. */
export async function recordRankedRun(ctx: TransactionCtx, board: BoardKey): Promise<void> {
  const { db } = ctx;
  const { leaderboardEntries: entries } = db.tables;
  // Two runs of an agent may complete at the same time, and each must see the other.
  await lockName(db, `leaderboard:${board.agentId}`);
  const last = await findNewestRankedRuns(ctx, board, rankedRunsMin);
  const [newest] = last;
  invariant(newest !== undefined, 'The run has already been completed.');
  const entry = {
    ...standingOf(last),
    host: newest.host,
    hostNamed: newest.hostNamed,
    lastRunAt: newest.finishedAt,
  };
  await db.query
    .insert(entries)
    .values({ ...board, runs: 1, ...entry })
    .onConflictDoUpdate({
      target: [entries.agentId, entries.product, entries.suiteVersion, entries.suiteVersionId],
      set: { ...entry, runs: sql`${entries.runs} + 1` },
    });
}

/** Corrects the agent's entry after one of its ranked runs has stopped counting. */
export async function recountRankedRuns(ctx: TransactionCtx, board: BoardKey): Promise<void> {
  const { db } = ctx;
  const { leaderboardEntries: entries, runs } = db.tables;
  await lockName(db, `leaderboard:${board.agentId}`);
  const isEntry = and(
    eq(entries.agentId, board.agentId),
    eq(entries.product, board.product),
    eq(entries.suiteVersion, board.suiteVersion),
    eq(entries.suiteVersionId, board.suiteVersionId),
  );
  const last = await findNewestRankedRuns(ctx, board, rankedRunsMin);
  const [newest] = last;
  if (newest === undefined) {
    await db.query.delete(entries).where(isEntry);
    return;
  }
  const counted = await db.query.$count(
    runs,
    and(
      eq(runs.agentId, board.agentId),
      isRankedRun(runs),
      eq(runs.product, board.product),
      eq(runs.suiteVersion, board.suiteVersion),
      board.suiteVersionId === ''
        ? isNull(runs.suiteVersionId)
        : eq(runs.suiteVersionId, board.suiteVersionId),
    ),
  );
  const { host, hostNamed, finishedAt: lastRunAt } = newest;
  await db.query
    .update(entries)
    .set({ ...standingOf(last), host, hostNamed, lastRunAt, runs: counted })
    .where(isEntry);
}

function standingOf(runs: readonly RankedRun[]) {
  const { score, interval } = meanOfRuns(runs);
  return {
    score: kept(score),
    low: kept(interval.low),
    high: kept(interval.high),
    cost: costOfRuns(runs),
  };
}

/** Ranks are decided on it, so it is rounded only by as much as the order of additions may change it. */
function kept(points: number): number {
  return Math.round(points * unitsPerPoint) / unitsPerPoint;
}

/** The properties that an agent's runs must share to count together. */
interface BoardKey {
  readonly agentId: string;
  readonly product: string;
  readonly suiteVersion: string;
  /** Of a published suite; empty for a suite of the hub. */
  readonly suiteVersionId: string;
}

interface RankedRun extends RunFigures, RunTaken {
  /** Host name and port of the target; null in pull mode. */
  readonly host: string | null;
  readonly hostNamed: boolean;
  readonly finishedAt: Date;
}

/** Few of an agent's newest runs are of another suite, so this skips them, up to a limit. */
const readRuns = 50;

/** @returns at most `limit`, newest first */
async function findNewestRankedRuns(
  { db }: TransactionCtx,
  { agentId, product, suiteVersion, suiteVersionId }: BoardKey,
  limit: number,
): Promise<RankedRun[]> {
  const { runs } = db.tables;
  const isOnBoard = and(eq(runs.product, product), eq(runs.suiteVersion, suiteVersion));
  const newest = await db.query
    .select()
    .from(runs)
    .where(and(eq(runs.agentId, agentId), isRankedRun(runs), isOnBoard))
    .orderBy(desc(runs.finishedAt), desc(runs.id))
    .limit(readRuns);
  return newest
    .filter((run) => suiteVersionIdOf(run) === suiteVersionId)
    .slice(0, limit)
    .flatMap(({ score, estimate, targetUrl, hostNamed, finishedAt, usage, latency }) => {
      if (score === null || estimate === null || finishedAt === null) return [];
      const { interval, effort = null } = estimate;
      const taken = { usage, effort, latency };
      return [{ score, interval, ...taken, host: hostOf(targetUrl), hostNamed, finishedAt }];
    });
}

/** As in the key of a board. */
export function suiteVersionIdOf({ suiteVersionId }: Pick<RunRow, 'suiteVersionId'>): string {
  return suiteVersionId ?? '';
}

/** The port is omitted if it is the default of the scheme. */
function hostOf(targetUrl: string | null): string | null {
  return targetUrl !== null && URL.canParse(targetUrl) ? new URL(targetUrl).host : null;
}
