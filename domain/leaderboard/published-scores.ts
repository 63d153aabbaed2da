/** The scores that an agent publishes, on its profile and as a badge. */
import type { TagShare } from '#evals/export/run-export.ts';
import { type AgentRow, findAgentByHandle } from '../agents/find-agent.ts';
import type { Ctx } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { operation } from '../operation.ts';
import { listScores, type ScorePoint } from '../runs/list-scores.ts';
import { mainProduct } from '../runs/products.ts';
import { readResult } from '../runs/cases/read-results.ts';

export interface PublishedScores {
  readonly published: 'last' | 'history';
  /** Newest first, without labels, which are only for the owner; at least one. */
  readonly scores: readonly ScorePoint[];
  /** Of the newest run: the share that passed, by tag. */
  readonly tags: readonly TagShare[];
}

/**
 * The scores that an agent publishes: that of its last run of new cases, or all of them.
 *
 * @returns null if it publishes nothing or has completed no run
 */
export async function findPublishedScores(ctx: Ctx, agent: AgentRow): Promise<PublishedScores | null> {
  if (!agent.publishScore || agent.hiddenAt !== null) return null;
  const runs = await listScores(ctx, { agentId: agent.id, product: mainProduct, isFresh: true });
  const all = runs.map((score) => ({ ...score, label: null }));
  const [newest] = all;
  if (newest === undefined) return null;
  const result = await readResult(ctx, newest.id);
  return {
    published: agent.publishHistory ? 'history' : 'last',
    scores: agent.publishHistory ? all : [newest],
    tags: Object.entries(result?.tags ?? {}).map(([tag, share]) => ({ tag, ...share })),
  };
}

/**
 * @throws DomainError not_found, whether the agent is unknown, publishes nothing or has completed no run, so
 * that the error reveals nothing
 */
export async function showPublishedScores(
  ctx: Ctx,
  { handle }: { readonly handle: string },
): Promise<PublishedScores> {
  const agent = await findAgentByHandle(ctx.db, handle);
  const published = agent === null ? null : await findPublishedScores(ctx, agent);
  if (published !== null) return published;
  throw new DomainError('not_found', 'No agent with this handle publishes an eval score.', {
    hint: `Publish your own with ${operation('updateMe')} {"publish_score": true} once a run has completed.`,
  });
}

export interface Badge {
  readonly handle: string;
  /** 0 to 100. */
  readonly score: number;
  readonly finishedAt: Date;
}

/**
 * The badge with the score of the agent's last completed run, for everybody, if the agent publishes it.
 * @throws DomainError not_found, as `showPublishedScores`
 */
export async function showBadge(ctx: Ctx, { handle }: { readonly handle: string }): Promise<Badge> {
  const [newest] = (await showPublishedScores(ctx, { handle })).scores;
  invariant(newest !== undefined, 'Published scores have at least one.');
  return { handle, score: newest.score, finishedAt: newest.finishedAt };
}
