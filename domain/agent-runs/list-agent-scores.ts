import { and, desc, eq, isNotNull } from 'drizzle-orm';
import { isCompletedRun } from '#db/schema/index-conditions.ts';
import type { Ctx } from '../context.ts';
import { historyMax, type ScorePoint } from '../eval-jobs/list-scores.ts';
import { estimateAgentRun } from './estimate-agent-run.ts';

/** The scores of an agent's last completed agent runs, newest first. */
export async function listAgentScores(
  { db }: Ctx,
  { agentId }: { readonly agentId: string },
): Promise<ScorePoint[]> {
  const { runs } = db.tables;
  const rows = await db.query
    .select({
      id: runs.id,
      suiteName: runs.suiteName,
      suiteVersion: runs.suiteVersion,
      runSize: runs.progressTotal,
      ranked: runs.ranked,
      score: runs.score,
      verdicts: runs.verdicts,
      finishedAt: runs.finishedAt,
    })
    .from(runs)
    .where(
      and(
        eq(runs.agentId, agentId),
        eq(runs.product, 'agent-run'),
        isCompletedRun(runs),
        isNotNull(runs.finishedAt),
      ),
    )
    .orderBy(desc(runs.finishedAt), desc(runs.id))
    .limit(historyMax);
  return rows.flatMap(({ score, finishedAt, verdicts, ...run }) =>
    score === null || finishedAt === null || verdicts === null
      ? []
      : [{ ...run, suitePack: null, score, finishedAt, ...estimateAgentRun(verdicts) }],
  );
}
