import { eq } from 'drizzle-orm';
import type { AgentRow } from '../agents/find-agent.ts';
import type { Ctx } from '../context.ts';
import { listScores, type ScorePoint } from '../runs/list-scores.ts';

export interface PublishedScores {
  readonly published: 'last' | 'history';
  /** Newest first; at least one. */
  readonly scores: readonly ScorePoint[];
  /** The JSON of the newest run's scorecard. */
  readonly scoreJson: Readonly<Record<string, unknown>>;
}

/**
 * The scores that an agent publishes: that of its last run, or all of them.
 *
 * @returns null if it publishes nothing or has completed no run
 */
export async function findPublishedScores(ctx: Ctx, agent: AgentRow): Promise<PublishedScores | null> {
  if (!agent.publishScore || agent.hiddenAt !== null) return null;
  const all = await listScores(ctx, { agentId: agent.id, product: 'eval-run' });
  const [newest] = all;
  if (newest === undefined) return null;
  const { runs, runScorecards, publishedHistories } = ctx.db.tables;
  const [found] = await ctx.db.query
    .select({ scoreJson: runScorecards.scoreJson, history: publishedHistories.agentId })
    .from(runs)
    .leftJoin(runScorecards, eq(runScorecards.runId, runs.id))
    .leftJoin(publishedHistories, eq(publishedHistories.agentId, runs.agentId))
    .where(eq(runs.id, newest.id));
  const isHistory = (found?.history ?? null) !== null;
  return {
    published: isHistory ? 'history' : 'last',
    scores: isHistory ? all : [newest],
    scoreJson: found?.scoreJson ?? {},
  };
}
