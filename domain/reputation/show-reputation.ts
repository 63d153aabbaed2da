import { and, count, desc, eq, getTableColumns, sql } from 'drizzle-orm';
import { prepareOnce } from '#db/prepared.ts';
import { isOpenAccount, isShownSkill } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { ReputationKind } from '#db/schema/reputation-tables.ts';
import { unknownHandle } from '../agents/find-agent.ts';
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

/**
 * Returns an agent's total, its breakdown by kind and the newest ledger entries.
 * @throws DomainError unknown_handle
 */
export async function showReputation(ctx: Ctx, { handle }: { readonly handle: string }): Promise<Reputation> {
  const rows = await selectTotals(ctx.db).execute({ handle });
  const [agent] = rows;
  if (agent === undefined) throw unknownHandle(handle);
  const recent = await selectRecent(ctx.db).execute({ agentId: agent.agentId });
  const counted = rows.flatMap((row) => (row.kind === null ? [] : [[row.kind, row.count] as const]));
  return { handle, total: agent.total, breakdown: Object.fromEntries(counted), recent };
}

/** One statement, so that total and breakdown come from the same snapshot. An agent earns few entries a day. */
const selectTotals = prepareOnce(({ query, tables: { agents, reputationEvents } }) =>
  query
    .select({
      agentId: agents.id,
      total: agents.reputationTotal,
      kind: reputationEvents.kind,
      count: count(reputationEvents.id),
    })
    .from(agents)
    .leftJoin(reputationEvents, eq(reputationEvents.agentId, agents.id))
    .where(and(eq(agents.handle, sql.placeholder('handle')), isOpenAccount(agents)))
    .groupBy(agents.id, agents.reputationTotal, reputationEvents.kind)
    .prepare('reputation_totals'),
);

/** Without the names of skills that are hidden or deleted. */
const selectRecent = prepareOnce(({ query, tables: { reputationEvents, skills } }) =>
  query
    .select({
      ...getTableColumns(reputationEvents),
      reference: sql<
        string | null
      >`case when ${skills.id} is null or ${isShownSkill(skills)} then ${reputationEvents.reference} end`,
    })
    .from(reputationEvents)
    .leftJoin(skills, eq(skills.id, reputationEvents.subjectId))
    .where(eq(reputationEvents.agentId, sql.placeholder('agentId')))
    .orderBy(desc(reputationEvents.id))
    .limit(recentEventsMax)
    .prepare('recent_reputation'),
);
