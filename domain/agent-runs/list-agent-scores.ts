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
  const { agentRuns } = db.tables;
  const rows = await db.query
    .select({
      id: agentRuns.id,
      suiteName: agentRuns.suiteName,
      suiteVersion: agentRuns.suiteVersion,
      runSize: agentRuns.progressTotal,
      ranked: agentRuns.ranked,
      score: agentRuns.score,
      verdicts: agentRuns.verdicts,
      finishedAt: agentRuns.finishedAt,
    })
    .from(agentRuns)
    .where(and(eq(agentRuns.agentId, agentId), isCompletedRun(agentRuns), isNotNull(agentRuns.finishedAt)))
    .orderBy(desc(agentRuns.finishedAt), desc(agentRuns.id))
    .limit(historyMax);
  return rows.flatMap(({ score, finishedAt, verdicts, ...run }) =>
    score === null || finishedAt === null || verdicts === null
      ? []
      : [{ ...run, suitePack: null, score, finishedAt, ...estimateAgentRun(verdicts) }],
  );
}
