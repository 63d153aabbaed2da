import { eq } from 'drizzle-orm';
import type { AgentRow } from '../agents/find-agent.ts';
import { publishesHistory } from '../agents/publishes-history.ts';
import type { Ctx } from '../context.ts';
import { historyMax, listScores, type ScorePoint } from './list-scores.ts';

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
  const isHistory = await publishesHistory(ctx, agent);
  const scores = await listScores(ctx, { agentId: agent.id, limit: isHistory ? historyMax : 1 });
  const [newest] = scores;
  if (newest === undefined) return null;
  const { evalScorecards } = ctx.db.tables;
  const [card] = await ctx.db.query
    .select({ scoreJson: evalScorecards.scoreJson })
    .from(evalScorecards)
    .where(eq(evalScorecards.jobId, newest.id));
  return { published: isHistory ? 'history' : 'last', scores, scoreJson: card?.scoreJson ?? {} };
}
