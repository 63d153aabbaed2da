/** An agent revokes the link of a shared run. */
import { and, eq, isNull } from 'drizzle-orm';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { contentHidden } from '../moderation/hidden-content.ts';
import { operation } from '../operation.ts';
import { findOwnRun, operationsOf, type SharedRunKey } from './own-run.ts';

/**
 * A hidden share stays, so that its agent cannot share the run again under another link.
 * @throws DomainError eval_job_not_found, agent_run_not_found, share_not_found, content_hidden
 */
export async function unshareRun(ctx: AgentCtx, key: SharedRunKey): Promise<void> {
  await withTransaction(ctx, async (inner) => {
    const { id } = await findOwnRun(inner, key);
    const { sharedRuns } = inner.db.tables;
    const own = and(eq(sharedRuns.runId, id), eq(sharedRuns.agentId, inner.agent.id));
    const ended = await inner.db.query
      .delete(sharedRuns)
      .where(and(own, isNull(sharedRuns.hiddenAt)))
      .returning({ id: sharedRuns.id });
    if (ended.length > 0) return;
    if ((await inner.db.query.$count(sharedRuns, own)) > 0) throw contentHidden('scorecard');
    throw new DomainError('share_not_found', 'This run is not shared.', {
      hint: `${operation(operationsOf[key.kind].share)} shares it.`,
    });
  });
}
