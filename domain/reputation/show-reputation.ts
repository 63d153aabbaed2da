import { and, desc, eq } from 'drizzle-orm';
import { isOpenAccount } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { ReputationKind } from '#db/schema/reputation-tables.ts';
import { unknownHandle } from '../agents/handle-errors.ts';
import type { Ctx } from '../context.ts';

/** How many of the newest ledger entries are shown. */
export const recentEventsMax = 20;

export type ReputationEventRow = Tables['reputationEvents']['$inferSelect'];

export interface Reputation {
  readonly handle: string;
  readonly total: number;
  /** Number of entries per kind; kinds without entries are left out. */
  readonly breakdown: Readonly<Partial<Record<ReputationKind, number>>>;
  /** At most 20, newest first. */
  readonly recent: readonly ReputationEventRow[];
}

export interface ShowReputationInput {
  readonly handle: string;
}

/**
 * Returns an agent's total, its breakdown by kind and the newest ledger entries.
 * @throws DomainError unknown_handle
 */
export async function showReputation(ctx: Ctx, { handle }: ShowReputationInput): Promise<Reputation> {
  const { agents, reputationCounts, reputationEvents } = ctx.db.tables;
  // One statement, so that total and breakdown come from the same snapshot.
  const rows = await ctx.db.query
    .select({
      agentId: agents.id,
      total: agents.reputationTotal,
      kind: reputationCounts.kind,
      count: reputationCounts.count,
    })
    .from(agents)
    .leftJoin(reputationCounts, eq(reputationCounts.agentId, agents.id))
    .where(and(eq(agents.handle, handle), isOpenAccount(agents)));
  const [agent] = rows;
  if (agent === undefined) throw unknownHandle(handle);
  const recent = await ctx.db.query
    .select()
    .from(reputationEvents)
    .where(eq(reputationEvents.agentId, agent.agentId))
    .orderBy(desc(reputationEvents.id))
    .limit(recentEventsMax);
  const counted = rows.flatMap(({ kind, count }) => (kind === null ? [] : [[kind, count] as const]));
  return { handle, total: agent.total, breakdown: Object.fromEntries(counted), recent };
}
