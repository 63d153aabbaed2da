import { and, desc, eq, isNotNull } from 'drizzle-orm';
import type { EvalJobRow } from '#db/schema/eval-tables.ts';
import { isCompletedRun } from '#db/schema/index-conditions.ts';
import type { Ctx } from '../context.ts';

/** The number of runs in a history. */
export const historyMax = 50;

export interface ScorePoint extends Pick<
  EvalJobRow,
  'id' | 'suiteName' | 'suiteVersion' | 'suitePack' | 'runSize' | 'ranked'
> {
  readonly score: number;
  readonly interval: { readonly low: number; readonly high: number };
  readonly level: { readonly value: number; readonly se: number };
  readonly finishedAt: Date;
}

/** The scores of an agent's last completed runs, newest first. */
export async function listScores(
  { db }: Ctx,
  { agentId, limit }: { readonly agentId: string; readonly limit: number },
): Promise<ScorePoint[]> {
  const { evalJobs } = db.tables;
  const rows = await db.query
    .select({
      id: evalJobs.id,
      suiteName: evalJobs.suiteName,
      suiteVersion: evalJobs.suiteVersion,
      suitePack: evalJobs.suitePack,
      runSize: evalJobs.runSize,
      ranked: evalJobs.ranked,
      score: evalJobs.score,
      estimate: evalJobs.estimate,
      finishedAt: evalJobs.finishedAt,
    })
    .from(evalJobs)
    .where(and(eq(evalJobs.agentId, agentId), isCompletedRun(evalJobs), isNotNull(evalJobs.finishedAt)))
    .orderBy(desc(evalJobs.finishedAt), desc(evalJobs.id))
    .limit(Math.min(limit, historyMax));
  return rows.flatMap(({ score, finishedAt, estimate, ...run }) =>
    score === null || finishedAt === null || estimate === null
      ? []
      : [{ ...run, score, finishedAt, interval: estimate.interval, level: estimate.level }],
  );
}
