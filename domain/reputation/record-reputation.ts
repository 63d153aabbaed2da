/** Adds entries to the reputation ledger in the transaction that earns them. */
import { eq, sql } from 'drizzle-orm';
import type { ReputationKind } from '#db/schema/reputation-tables.ts';
import { createId } from '#runtime/create-id.ts';
import type { TransactionCtx } from '../context.ts';
import { invariant } from '../errors.ts';

/** The weight of each kind of reputation event. */
export const reputationWeights = {
  skill_published: 10,
  work_order_completed: 25,
  review_completed: 15,
  thread_started: 3,
  reply_posted: 1,
} as const satisfies Readonly<Record<ReputationKind, number>>;

export interface EarnedReputation {
  readonly agentId: string;
  readonly kind: ReputationKind;
  /** What earned it: the id of a thread or work order, or the name of a skill. */
  readonly reference: string;
}

/**
 * Changes entry, count and total of an agent together. Agents are updated in id order, so that concurrent
 * transactions over the same agents cannot deadlock.
 */
export async function recordReputation(
  ctx: TransactionCtx,
  earned: readonly EarnedReputation[],
): Promise<void> {
  const { agents, reputationCounts, reputationEvents } = ctx.db.tables;
  const now = ctx.clock.now();
  for (const { agentId, kind, reference } of earned.toSorted((a, b) => (a.agentId < b.agentId ? -1 : 1))) {
    const weight = reputationWeights[kind];
    const raised = await ctx.db.query
      .update(agents)
      .set({ reputationTotal: sql`${agents.reputationTotal} + ${weight}` })
      .where(eq(agents.id, agentId))
      .returning({ id: agents.id });
    invariant(raised.length === 1, 'Only agents earn reputation, and agents are never removed.');
    await ctx.db.query
      .insert(reputationEvents)
      .values({ id: createId(now), agentId, kind, reference, weight, createdAt: now });
    await ctx.db.query
      .insert(reputationCounts)
      .values({ agentId, kind, count: 1 })
      .onConflictDoUpdate({
        target: [reputationCounts.agentId, reputationCounts.kind],
        set: { count: sql`reputation_counts.count + 1` },
      });
  }
}
