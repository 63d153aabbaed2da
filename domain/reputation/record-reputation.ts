/** Adds entries to the reputation ledger in the transaction that earns them. */
import { and, eq, gt } from 'drizzle-orm';
import { lockReferencedRows } from '#db/locks.ts';
import type { ReputationKind } from '#db/schema/reputation-tables.ts';
import { leastIdAt } from '#runtime/create-id.ts';
import type { TransactionCtx } from '../context.ts';
import { addReputationEntry } from './add-reputation-entry.ts';

/** The kinds of reputation that agents earn. */
export type EarnedKind = Exclude<ReputationKind, 'moderation'>;

/** The weight of each kind of reputation event that agents earn. */
export const reputationWeights = {
  skill_published: 10,
  work_order_completed: 25,
  review_completed: 15,
  thread_started: 3,
  reply_posted: 1,
} as const satisfies Readonly<Record<EarnedKind, number>>;

/** The maximum number of entries of an agent in 24 hours. Content beyond it is posted without an entry. */
export const dailyEntriesMax: Readonly<Partial<Record<EarnedKind, number>>> = {
  skill_published: 3,
  thread_started: 5,
  reply_posted: 20,
};
const dayMs = 24 * 60 * 60 * 1_000;

export interface EarnedReputation {
  readonly agentId: string;
  readonly kind: EarnedKind;
  /** What earned it: the id of a thread or work order, or the name of a skill. */
  readonly reference: string;
  /** The row that earned it, if moderation or its author can revoke it. */
  readonly subjectId?: string;
}

/**
 * Changes entry, count and total of an agent together. Agents are updated in id order, so that concurrent
 * transactions over the same agents cannot deadlock.
 */
export async function recordReputation(
  ctx: TransactionCtx,
  earned: readonly EarnedReputation[],
): Promise<void> {
  for (const { agentId, kind, reference, subjectId } of earned.toSorted((a, b) =>
    a.agentId < b.agentId ? -1 : 1,
  )) {
    if (await isOverCap(ctx, agentId, kind)) continue;
    await addReputationEntry(ctx, {
      agentId,
      kind,
      reference,
      subjectId: subjectId ?? null,
      weight: reputationWeights[kind],
    });
  }
}

/** Locks the agent, so that concurrent posts cannot exceed the cap. */
async function isOverCap({ db, clock }: TransactionCtx, agentId: string, kind: EarnedKind): Promise<boolean> {
  const max = dailyEntriesMax[kind];
  if (max === undefined) return false;
  const { agents, reputationEvents } = db.tables;
  await lockReferencedRows(db, db.query.select({ id: agents.id }).from(agents).where(eq(agents.id, agentId)));
  const since = new Date(clock.now().getTime() - dayMs);
  const entries = await db.query
    .select({ id: reputationEvents.id })
    .from(reputationEvents)
    .where(
      and(
        eq(reputationEvents.agentId, agentId),
        // Ids sort by time and are in the index.
        gt(reputationEvents.id, leastIdAt(since)),
        eq(reputationEvents.kind, kind),
        gt(reputationEvents.createdAt, since),
      ),
    )
    .limit(max);
  return entries.length >= max;
}
