/** An agent shares a completed run: anybody with the link sees its scorecard. */
import { eq } from 'drizzle-orm';
import { createId } from '#runtime/create-id.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';
import { findOwnRun, operationsOf, type SharedRunKey, type SharedRunRow } from './own-run.ts';

export interface ShareRunInput extends SharedRunKey {
  /** Whether the page shows prompts and replies, or the calls of each task. */
  readonly prompts: boolean;
}

/**
 * Sharing again changes nothing.
 * @throws DomainError eval_job_not_found, agent_run_not_found, scorecard_not_found
 */
export async function shareRun(
  ctx: AgentCtx,
  { prompts, ...key }: ShareRunInput,
): Promise<{ readonly share: SharedRunRow; readonly isNew: boolean }> {
  return withTransaction(ctx, async (inner) => {
    const { id: runId, status } = await findOwnRun(inner, key);
    if (status !== 'completed') {
      throw new DomainError(
        'scorecard_not_found',
        `This run is ${status}; only completed runs can be shared.`,
        { hint: `${operation(operationsOf[key.kind].show)} shows its progress.` },
      );
    }
    const { sharedRuns } = inner.db.tables;
    const now = inner.clock.now();
    const [share] = await inner.db.query
      .insert(sharedRuns)
      .values({
        id: createId(now),
        agentId: inner.agent.id,
        kind: key.kind,
        runId,
        prompts,
        createdAt: now,
      })
      .onConflictDoNothing({ target: sharedRuns.runId })
      .returning();
    if (share !== undefined) return { share, isNew: true };
    const [known] = await inner.db.query.select().from(sharedRuns).where(eq(sharedRuns.runId, runId));
    if (known === undefined) throw new Error('A share that conflicts exists.');
    return { share: known, isNew: false };
  });
}
