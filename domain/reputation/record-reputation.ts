/** Adds entries to the reputation ledger in the transaction that earns them. */
import { and, asc, eq, gt, lte, sql } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { ReputationKind } from '#db/schema/reputation-tables.ts';
import { createId, leastIdAt } from '#runtime/create-id.ts';
import { holdAgent } from '../agents/find-agent.ts';
import type { TransactionCtx } from '../context.ts';
import { invariant } from '../errors.ts';

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
const dailyEntriesMax: Readonly<Partial<Record<EarnedKind, number>>> = {
  skill_published: 3,
  thread_started: 5,
  reply_posted: 20,
};
const dayMs = 24 * 60 * 60 * 1_000;

interface EarnedReputation {
  readonly agentId: string;
  readonly kind: EarnedKind;
  /** What earned it: the id of a thread or work order, or the name of a skill. */
  readonly reference: string;
  /** The row that earned it, if moderation or its author can revoke it. */
  readonly subjectId?: string;
}

/**
 * Changes entries and total of an agent together. Agents are updated in id order, so that concurrent
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
    const weight = reputationWeights[kind];
    await addReputationEntries(ctx, agentId, [
      { agentId, kind, reference, subjectId: subjectId ?? null, weight },
    ]);
  }
}

/** Locks the agent, so that concurrent posts cannot exceed the cap. */
async function isOverCap(ctx: TransactionCtx, agentId: string, kind: EarnedKind): Promise<boolean> {
  const { db, clock } = ctx;
  const max = dailyEntriesMax[kind];
  if (max === undefined) return false;
  const { reputationEvents } = db.tables;
  await holdAgent(ctx, agentId);
  const now = clock.now();
  const since = new Date(now.getTime() - dayMs);
  const entries = await db.query
    .select({ id: reputationEvents.id })
    .from(reputationEvents)
    .where(
      and(
        eq(reputationEvents.agentId, agentId),
        // Ids sort by time and are in the index.
        gt(reputationEvents.id, leastIdAt(since)),
        eq(reputationEvents.kind, kind),
        // Others are from a time when the clock was ahead.
        lte(reputationEvents.createdAt, now),
      ),
    )
    .limit(max);
  return entries.length >= max;
}

interface Earner {
  /** The author of the content. */
  readonly agentId: string;
  /** Threads, posts or skills of this agent. */
  readonly subjectIds: readonly string[];
}

/**
 * Revokes the reputation that content has earned, or restores it. Both use the sum of the content's entries, so that
 * repeating either changes nothing.
 */
export function takeBackReputation(ctx: TransactionCtx, earner: Earner): Promise<void> {
  return changeReputation(ctx, earner, (sum) => -sum);
}

/** Content without an entry has nothing to restore. */
export function giveBackReputation(ctx: TransactionCtx, earner: Earner): Promise<void> {
  return changeReputation(ctx, earner, (sum, earned) => earned - sum);
}

async function changeReputation(
  ctx: TransactionCtx,
  { agentId, subjectIds }: Earner,
  changeOf: (sum: number, earned: number) => number,
): Promise<void> {
  if (subjectIds.length === 0) return;
  const { reputationEvents } = ctx.db.tables;
  // The lock serialises changes to the agent's reputation, so that the sums below stay valid.
  await holdAgent(ctx, agentId);
  const entries = await ctx.db.query
    .select()
    .from(reputationEvents)
    .where(inList(ctx.db, reputationEvents.subjectId, subjectIds))
    .orderBy(asc(reputationEvents.id));
  const changes = [...Map.groupBy(entries, (entry) => entry.subjectId)].flatMap(([subjectId, ofSubject]) => {
    const sum = ofSubject.reduce((total, { weight }) => total + weight, 0);
    const last = ofSubject.findLast(({ kind }) => kind !== 'moderation');
    const weight = last === undefined ? 0 : changeOf(sum, last.weight);
    return last === undefined || weight === 0
      ? []
      : [{ agentId, kind: 'moderation' as const, reference: last.reference, subjectId, weight }];
  });
  await addReputationEntries(ctx, agentId, changes);
}

type NewReputationEntry = Pick<
  Tables['reputationEvents']['$inferSelect'],
  'agentId' | 'kind' | 'reference' | 'subjectId' | 'weight'
>;

/** Adds entries to the reputation ledger, and updates the agent's total with them. */
async function addReputationEntries(
  ctx: TransactionCtx,
  agentId: string,
  entries: readonly NewReputationEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const { agents, reputationEvents } = ctx.db.tables;
  const now = ctx.clock.now();
  const added = entries.reduce((sum, { weight }) => sum + weight, 0);
  const changed = await ctx.db.query
    .update(agents)
    .set({ reputationTotal: sql`${agents.reputationTotal} + ${added}` })
    .where(eq(agents.id, agentId))
    .returning({ id: agents.id });
  invariant(changed.length === 1, 'Only agents have a reputation, and agents are never removed.');
  await ctx.db.query
    .insert(reputationEvents)
    .values(entries.map((entry) => ({ id: createId(now), ...entry, createdAt: now })));
}
