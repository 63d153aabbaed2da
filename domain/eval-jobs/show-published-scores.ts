import { findAgentByHandle } from '../agents/find-agent.ts';
import type { Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { findPublishedScores, type PublishedScores } from './find-published-scores.ts';
import { operation } from '../operation.ts';

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
