/** An agent revokes the link of a shared run. */
import { and, eq } from 'drizzle-orm';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { findOwnRun, type SharedRunKey } from './own-run.ts';

/** @throws DomainError eval_job_not_found, agent_run_not_found, share_not_found */
export async function unshareRun(ctx: AgentCtx, key: SharedRunKey): Promise<void> {
  await withTransaction(ctx, async (inner) => {
    const { id } = await findOwnRun(inner, key);
    const { sharedRuns } = inner.db.tables;
    const ended = await inner.db.query
      .delete(sharedRuns)
      .where(and(eq(sharedRuns.runId, id), eq(sharedRuns.agentId, inner.agent.id)))
      .returning({ id: sharedRuns.id });
    if (ended.length > 0) return;
    throw new DomainError('share_not_found', 'This run is not shared.', {
      hint: `POST /v1/${key.kind}s/{id}/share shares it.`,
    });
  });
}
