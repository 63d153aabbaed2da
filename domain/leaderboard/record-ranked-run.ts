/** Keeps an agent's entry on a leaderboard: the mean of its newest ranked runs, with its interval. */
import { and, desc, eq, isNull } from 'drizzle-orm';
import { lockName } from '#db/transaction.ts';
import { isRankedRun, rankedRunsMin } from '#db/schema/index-conditions.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { costOfRuns, meanOfRuns, type RunFigures, type RunTaken } from '#evals/run-figures.ts';
import type { TransactionCtx } from '../context.ts';
import { unitsPerPoint } from './select-listed.ts';

/** Brings the agent's entry up to date after one of its ranked runs has completed, or has stopped counting. */
export async function recountRankedRuns(ctx: TransactionCtx, board: BoardKey): Promise<void> {
  const { db } = ctx;
  const { leaderboardEntries: entries, runs } = db.tables;
  const { agentId, product, suiteVersion, suiteVersionId } = board;
  // Two runs of an agent may complete at the same time, and each must see the other.
  await lockName(db, `leaderboard:${agentId}`);
  const last = await findNewestRankedRuns(ctx, board, rankedRunsMin);
  const [newest] = last;
  if (newest === undefined) {
    const isThis = and(
      eq(entries.agentId, agentId),
      eq(entries.product, product),
      eq(entries.suiteVersion, suiteVersion),
      eq(entries.suiteVersionId, suiteVersionId),
    );
    await db.query.delete(entries).where(isThis);
    return;
  }
  const counted = await db.query.$count(runs, isOnBoard(db, board));
  const { host, hostNamed, finishedAt: lastRunAt } = newest;
  const entry = { ...standingOf(last), host, hostNamed, lastRunAt, runs: counted };
  await db.query
    .insert(entries)
    .values({ ...board, ...entry })
    .onConflictDoUpdate({
      target: [entries.agentId, entries.product, entries.suiteVersion, entries.suiteVersionId],
      set: entry,
    });
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

function isOnBoard(
  { tables: { runs } }: TransactionCtx['db'],
  { agentId, product, suiteVersion, suiteVersionId }: BoardKey,
) {
  return and(
    eq(runs.agentId, agentId),
    isRankedRun(runs),
    eq(runs.product, product),
    eq(runs.suiteVersion, suiteVersion),
    suiteVersionId === '' ? isNull(runs.suiteVersionId) : eq(runs.suiteVersionId, suiteVersionId),
  );
}

/** @returns at most `limit`, newest first */
async function findNewestRankedRuns(
  { db }: TransactionCtx,
  board: BoardKey,
  limit: number,
): Promise<RankedRun[]> {
  const { runs } = db.tables;
  const newest = await db.query
    .select()
    .from(runs)
    .where(isOnBoard(db, board))
    .orderBy(desc(runs.finishedAt), desc(runs.id))
    .limit(limit);
  return newest.flatMap(({ score, estimate, targetUrl, hostNamed, finishedAt, usage, latency }) => {
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
  return URL.parse(targetUrl ?? '')?.host ?? null;
}
