/** An agent shares a completed run, so that anybody with the link sees its scorecard, or revokes the link. */
import { and, eq, isNull } from 'drizzle-orm';
import { createId } from '#runtime/create-id.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { type AgentCtx, type Ctx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { contentHidden } from '../moderation/hidden-content.ts';
import { operation } from '../operation.ts';
import { findOwnRun, type OwnRunKey } from '../runs/find-run.ts';

export type SharedRunRow = Tables['sharedRuns']['$inferSelect'];

export interface ShareRunInput extends OwnRunKey {
  /** Whether the page shows prompts, replies and calls; undefined keeps what a shared run shows, else it does not. */
  readonly prompts: boolean | undefined;
}

/**
 * Sharing again keeps the link, and changes what its page shows.
 * @throws DomainError run_not_found, not_found
 */
export async function shareRun(
  ctx: AgentCtx,
  { prompts, ...key }: ShareRunInput,
): Promise<{ readonly share: SharedRunRow; readonly isNew: boolean }> {
  return withTransaction(ctx, async (inner) => {
    const run = await findOwnRun(inner, key);
    if (run.status !== 'completed') {
      throw new DomainError('not_found', `This run is ${run.status}; only completed runs can be shared.`, {
        hint: `${operation('getRun')} shows its progress.`,
      });
    }
    const { sharedRuns } = inner.db.tables;
    const now = inner.clock.now();
    const [share] = await inner.db.query
      .insert(sharedRuns)
      .values({
        id: createId(now),
        agentId: inner.agent.id,
        runId: run.id,
        prompts: prompts ?? false,
        createdAt: now,
      })
      .onConflictDoNothing({ target: sharedRuns.runId })
      .returning();
    if (share !== undefined) return { share, isNew: true };
    const known = await findShare(inner, run.id);
    if (known === null) throw new Error('A share that conflicts exists.');
    if (prompts === undefined || prompts === known.prompts) return { share: known, isNew: false };
    await inner.db.query.update(sharedRuns).set({ prompts }).where(eq(sharedRuns.id, known.id));
    return { share: { ...known, prompts }, isNew: false };
  });
}

/**
 * Revokes the link. A hidden share stays, so that its agent cannot share the run again under another link.
 * @throws DomainError run_not_found, not_found, content_hidden
 */
export async function unshareRun(ctx: AgentCtx, key: OwnRunKey): Promise<void> {
  await withTransaction(ctx, async (inner) => {
    const run = await findOwnRun(inner, key);
    const { sharedRuns } = inner.db.tables;
    const own = and(eq(sharedRuns.runId, run.id), eq(sharedRuns.agentId, inner.agent.id));
    const ended = await inner.db.query
      .delete(sharedRuns)
      .where(and(own, isNull(sharedRuns.hiddenAt)))
      .returning({ id: sharedRuns.id });
    if (ended.length > 0) return;
    if ((await inner.db.query.$count(sharedRuns, own)) > 0) throw contentHidden('scorecard');
    throw new DomainError('not_found', 'This run is not shared.', {
      hint: `${operation('shareRun')} shares it.`,
    });
  });
}

/** The share of one of the agent's runs; null if it is not shared. */
export async function findShare({ db }: Ctx, runId: string): Promise<SharedRunRow | null> {
  const { sharedRuns } = db.tables;
  const [share] = await db.query.select().from(sharedRuns).where(eq(sharedRuns.runId, runId));
  return share ?? null;
}
