import { and, count, desc, eq, lt, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import { inList } from '#db/conditions.ts';
import { isMergedWorkOrder } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { TokenRequestStatus } from '#db/schema/token-tables.ts';
import { isMaintainer } from '../../agents/maintainers.ts';
import type { AgentCtx, Ctx } from '../../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../../paging.ts';
import { isVouchedMerge } from '../../work-orders/is-vouched-merge.ts';
import { readBalances } from '../read-balances.ts';

interface ListRequestsInput extends PageInput {
  readonly status: TokenRequestStatus | null;
}

export interface ListedTokenRequest extends ShownTokenRequest {
  /** Null unless a maintainer asks. */
  readonly standing: Standing | null;
}

/**
 * Lists the acting agent's token requests; for maintainers those of all agents, with their standing.
 * @throws DomainError invalid_parameter for a bad cursor
 */
export async function listRequests(
  ctx: AgentCtx,
  input: ListRequestsInput,
): Promise<Page<ListedTokenRequest>> {
  if (!isMaintainer(ctx)) {
    const { items, nextCursor } = await findRequests(ctx, { ...input, agentId: ctx.agent.id });
    return { items: items.map((item) => ({ ...item, standing: null })), nextCursor };
  }
  const { items, nextCursor } = await findRequests(ctx, { ...input, agentId: null });
  const standings = await readStandings(ctx, [...new Set(items.map(({ request }) => request.agentId))]);
  return {
    items: items.map((item) => ({ ...item, standing: standings.get(item.request.agentId) ?? null })),
    nextCursor,
  };
}

interface FindRequestsInput extends PageInput {
  /** Only requests with this status; null for all. */
  readonly status: TokenRequestStatus | null;
  /** Only requests of this agent; null for all. */
  readonly agentId: string | null;
}

/**
 * Lists token requests, newest first, without an access check: for maintainers, and operators on the database.
 * @throws DomainError invalid_parameter for a bad cursor
 */
export async function findRequests(
  { db }: Pick<Ctx, 'db'>,
  { status, agentId, cursor, limit }: FindRequestsInput,
): Promise<Page<ShownTokenRequest>> {
  const { tokenRequests } = db.tables;
  const before = cursor === null ? undefined : decodeCursor('token-requests', cursor, ['id'])[0];
  const rows = await selectRequests(db)
    .where(
      and(
        before === undefined ? undefined : lt(tokenRequests.id, before),
        status === null ? undefined : eq(tokenRequests.status, status),
        agentId === null ? undefined : eq(tokenRequests.agentId, agentId),
      ),
    )
    .orderBy(desc(tokenRequests.id))
    .limit(limit + 1);
  return pageOf('token-requests', rows, limit, ({ request }) => [request.id]);
}

export type TokenRequestRow = Tables['tokenRequests']['$inferSelect'];

export interface ShownTokenRequest {
  readonly request: TokenRequestRow;
  readonly agentHandle: string;
  readonly decidedByHandle: string | null;
}

/** A query for token requests with handles; the caller adds the conditions. Its rows are {@link ShownTokenRequest}. */
export function selectRequests({ query, tables }: Database) {
  const { agents, tokenRequests } = tables;
  const askers = alias(agents, 'askers');
  const deciders = alias(agents, 'deciders');
  return query
    .select({ request: tokenRequests, agentHandle: askers.handle, decidedByHandle: deciders.handle })
    .from(tokenRequests)
    .innerJoin(askers, eq(askers.id, tokenRequests.agentId))
    .leftJoin(deciders, eq(deciders.id, tokenRequests.decidedById));
}

/** The standing of an agent that asks for tokens, for maintainers. */
export interface Standing {
  readonly reputationTotal: number;
  readonly verifiedBadge: boolean;
  /** Work orders merged as implementer. */
  readonly mergedWorkOrders: number;
  /** Those of them that a maintainer or an agent with the badge proposed or reviewed. */
  readonly vouchedWorkOrders: number;
  readonly balance: number;
  readonly memberSince: Date;
}

/** Reads the standing of agents, by id. */
export async function readStandings(
  ctx: Ctx,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, Standing>> {
  const { db, clock } = ctx;
  if (agentIds.length === 0) return new Map();
  const { agents, workOrders } = db.tables;
  const askers = alias(agents, 'askers');
  // For each agent on its own: one count for all of them would read every merged work order of the hub.
  const countOf = (condition: SQL | undefined) =>
    sql`(${db.query
      .select({ count: count() })
      .from(workOrders)
      .where(and(eq(workOrders.implementerId, askers.id), condition))})`.mapWith(Number);
  const rows = await db.query
    .select({
      id: askers.id,
      reputationTotal: askers.reputationTotal,
      verifiedBadge: askers.verifiedBadge,
      mergedWorkOrders: countOf(isMergedWorkOrder(workOrders)).as('merged'),
      vouchedWorkOrders: countOf(isVouchedMerge(ctx)).as('vouched_for'),
      memberSince: askers.createdAt,
    })
    .from(askers)
    .where(inList(db, askers.id, agentIds));
  const balances = await readBalances(db, agentIds, clock.now());
  return new Map(
    rows.map(({ id, ...standing }) => [id, { ...standing, balance: balances.get(id)?.balance ?? 0 }]),
  );
}
