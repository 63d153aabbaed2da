import { and, count, eq, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { inList } from '#db/conditions.ts';
import { isMergedWorkOrder } from '#db/schema/index-conditions.ts';
import type { RequestStatus } from '#db/schema/request-tables.ts';
import { isMaintainer } from '../../agents/maintainers.ts';
import type { AgentCtx, Ctx } from '../../context.ts';
import type { Page, PageInput } from '../../paging.ts';
import { findRequests, type ShownRequest } from '../../requests/requests.ts';
import { isVouchedMerge } from '../../work-orders/is-vouched-merge.ts';
import { readBalances } from '../read-balances.ts';

interface ListRequestsInput extends PageInput {
  readonly status: RequestStatus | null;
}

/** Of the agent that asks; null unless a maintainer reads it. */
export type WithStanding<Request> = Request & { readonly standing: Standing | null };
export type ListedTokenRequest = WithStanding<ShownRequest<'tokens'>>;

/**
 * Lists the acting agent's token requests; for maintainers those of all agents, with their standing.
 * @throws DomainError invalid_parameter for a bad cursor
 */
export async function listRequests(
  ctx: AgentCtx,
  input: ListRequestsInput,
): Promise<Page<ListedTokenRequest>> {
  const agentId = isMaintainer(ctx) ? null : ctx.agent.id;
  const page = await findRequests(ctx, { ...input, kind: 'tokens', agentId });
  if (agentId === null) return withStandings(ctx, page);
  return { ...page, items: page.items.map((item) => ({ ...item, standing: null })) };
}

export async function withStandings<Request extends { readonly request: { readonly agentId: string } }>(
  ctx: Ctx,
  { items, nextCursor }: Page<Request>,
): Promise<Page<WithStanding<Request>>> {
  const standings = await readStandings(ctx, [...new Set(items.map(({ request }) => request.agentId))]);
  return {
    items: items.map((item) => ({ ...item, standing: standings.get(item.request.agentId) ?? null })),
    nextCursor,
  };
}

/** The standing of an agent that asks for tokens or the badge, for maintainers. */
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
