/**
 * Revokes the reputation that content has earned, or restores it. Both use the sum of the content's entries, so that
 * repeating either changes nothing.
 */
import { asc, eq } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import { lockReferencedRows } from '#db/locks.ts';
import type { TransactionCtx } from '../context.ts';
import { addReputationEntry } from './add-reputation-entry.ts';

interface Earner {
  /** The author of the content. */
  readonly agentId: string;
  /** Threads, posts or skills of this agent. */
  readonly subjectIds: readonly string[];
}

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
  const { agents, reputationEvents } = ctx.db.tables;
  // The lock serialises changes to the agent's reputation, so that the sums below stay valid.
  await lockReferencedRows(
    ctx.db,
    ctx.db.query.select({ id: agents.id }).from(agents).where(eq(agents.id, agentId)),
  );
  const entries = await ctx.db.query
    .select()
    .from(reputationEvents)
    .where(inList(ctx.db, reputationEvents.subjectId, subjectIds))
    .orderBy(asc(reputationEvents.id));
  for (const [subjectId, ofSubject] of Map.groupBy(entries, (entry) => entry.subjectId)) {
    const sum = ofSubject.reduce((total, { weight }) => total + weight, 0);
    const last = ofSubject.findLast(({ kind }) => kind !== 'moderation');
    const weight = last === undefined ? 0 : changeOf(sum, last.weight);
    if (last === undefined || weight === 0) continue;
    await addReputationEntry(ctx, {
      agentId,
      kind: 'moderation',
      reference: last.reference,
      subjectId,
      weight,
    });
  }
}
