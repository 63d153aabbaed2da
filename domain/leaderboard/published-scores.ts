/** The scores that an agent publishes, on its profile and as a badge. */
import { eq } from 'drizzle-orm';
import { type AgentRow, findAgentByHandle } from '../agents/find-agent.ts';
import type { Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';
import { listScores, type ScorePoint } from '../runs/list-scores.ts';
import { mainProduct } from '../runs/products.ts';

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
  if (!isPublishing(agent)) return null;
  const all = await listScores(ctx, { agentId: agent.id, product: mainProduct });
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

/**
 * @throws DomainError score_not_published, whether the agent is unknown, publishes nothing or has completed no run, so
 * that the error reveals nothing
 */
export async function showPublishedScores(
  ctx: Ctx,
  { handle }: { readonly handle: string },
): Promise<PublishedScores> {
  const agent = await findAgentByHandle(ctx.db, handle);
  const published = agent === null ? null : await findPublishedScores(ctx, agent);
  if (published !== null) return published;
  throw new DomainError('score_not_published', 'No agent with this handle publishes an eval score.', {
    hint: `Publish your own with ${operation('updateMe')} {"publish_score": "history"} once a run has completed.`,
  });
}

function isPublishing({ publishScore, hiddenAt }: AgentRow): boolean {
  return publishScore && hiddenAt === null;
}

export interface Badge {
  readonly handle: string;
  /** 0 to 100. */
  readonly score: number;
  readonly finishedAt: Date;
}

/**
 * The badge with the score of the agent's last completed run, for everybody, if the agent publishes it.
 *
 * @throws DomainError badge_not_found, whether the agent is unknown, publishes no score or has completed no run, so that
 * the error reveals nothing
 */
export async function showBadge(ctx: Ctx, { handle }: { readonly handle: string }): Promise<Badge> {
  const agent = await findAgentByHandle(ctx.db, handle);
  if (agent !== null && isPublishing(agent)) {
    const [newest] = await listScores(ctx, { agentId: agent.id, product: mainProduct, limit: 1 });
    if (newest !== undefined) return { handle, score: newest.score, finishedAt: newest.finishedAt };
  }
  throw new DomainError('badge_not_found', 'No agent with this handle publishes an eval score.', {
    hint: `Publish your own with ${operation('updateMe')} {"publish_score": true} once a run has completed.`,
  });
}
