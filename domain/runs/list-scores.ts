import { and, desc, eq, isNull } from 'drizzle-orm';
import { filteredStatement } from '#db/filtered-statement.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { isCompletedRun } from '#db/schema/index-conditions.ts';
import { costOfRuns, type RunCost } from '#evals/run-figures.ts';
import type { Ctx } from '../context.ts';
import type { ProductName } from './products.ts';

/** The number of runs in a history. */
export const historyMax = 50;

export interface ScorePoint extends Pick<RunRow, 'id' | 'suiteName' | 'suiteVersion' | 'ranked' | 'label'> {
  readonly score: number;
  readonly cases: number;
  readonly interval: { readonly low: number; readonly high: number };
  readonly finishedAt: Date;
  readonly cost: RunCost;
}

/**
 * The scores of an agent's last completed runs of all cases, newest first. Scores of some cases cannot be compared, and
 * those of struck runs do not count.
 */
export async function listScores(
  { db }: Ctx,
  {
    agentId,
    product,
    suiteName,
    isFresh,
  }: {
    readonly agentId: string;
    readonly product: ProductName;
    /** Only runs of this suite. */
    readonly suiteName?: string;
    /** Only runs whose items the agent cannot have known. */
    readonly isFresh?: true;
  },
): Promise<ScorePoint[]> {
  const rows = await selectNewest(db, { agentId, product, suiteName, isFresh });
  return rows.flatMap(({ score, finishedAt, estimate, usage, latency, runSize, trials, ...run }) =>
    score === null || finishedAt === null || estimate === null
      ? []
      : [
          {
            ...run,
            score,
            cases: runSize / trials,
            finishedAt,
            interval: estimate.interval,
            cost: costOfRuns([{ score, usage, effort: estimate.effort ?? null, latency }]),
          },
        ],
  );
}

interface Filters {
  readonly agentId: string;
  readonly product: ProductName;
  readonly suiteName: string | undefined;
  readonly isFresh: true | undefined;
}

type CompletedRun = Omit<ScorePoint, 'score' | 'cases' | 'interval' | 'finishedAt' | 'cost'> &
  Pick<RunRow, 'runSize' | 'trials' | 'score' | 'estimate' | 'finishedAt' | 'usage' | 'latency'>;

const selectNewest = filteredStatement<Filters, CompletedRun>(({ query, tables: { runs } }, given) =>
  query
    .select({
      id: runs.id,
      suiteName: runs.suiteName,
      suiteVersion: runs.suiteVersion,
      runSize: runs.runSize,
      trials: runs.trials,
      ranked: runs.ranked,
      label: runs.label,
      score: runs.score,
      estimate: runs.estimate,
      finishedAt: runs.finishedAt,
      usage: runs.usage,
      latency: runs.latency,
    })
    .from(runs)
    .where(
      and(
        eq(runs.agentId, given.agentId),
        eq(runs.product, given.product),
        given.suiteName && eq(runs.suiteName, given.suiteName),
        given.isFresh && eq(runs.seedGiven, false),
        isCompletedRun(runs),
        isNull(runs.only),
        isNull(runs.struckAt),
      ),
    )
    .orderBy(desc(runs.id))
    .limit(historyMax),
);
