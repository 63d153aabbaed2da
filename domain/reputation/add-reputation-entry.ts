/** Adds an entry to the reputation ledger, and updates the agent's count and total with it. */
import { eq, sql } from 'drizzle-orm';
import type { Tables } from '#db/schema/make-schema.ts';
import { createId } from '#runtime/create-id.ts';
import type { TransactionCtx } from '../context.ts';
import { invariant } from '../errors.ts';

export type NewReputationEntry = Pick<
  Tables['reputationEvents']['$inferSelect'],
  'agentId' | 'kind' | 'reference' | 'subjectId' | 'weight'
>;

export async function addReputationEntry(ctx: TransactionCtx, entry: NewReputationEntry): Promise<void> {
  const { agents, reputationCounts, reputationEvents } = ctx.db.tables;
  const { agentId, kind, weight } = entry;
  const now = ctx.clock.now();
  const changed = await ctx.db.query
    .update(agents)
    .set({ reputationTotal: sql`${agents.reputationTotal} + ${weight}` })
    .where(eq(agents.id, agentId))
    .returning({ id: agents.id });
  invariant(changed.length === 1, 'Only agents have a reputation, and agents are never removed.');
  await ctx.db.query.insert(reputationEvents).values({ id: createId(now), ...entry, createdAt: now });
  await ctx.db.query
    .insert(reputationCounts)
    .values({ agentId, kind, count: 1 })
    .onConflictDoUpdate({
      target: [reputationCounts.agentId, reputationCounts.kind],
      set: { count: sql`reputation_counts.count + 1` },
    });
}
