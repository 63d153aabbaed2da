import { and, desc, eq, isNull, lt } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import { filteredStatement } from '#db/filtered-statement.ts';
import type { WorkOrderStatus } from '#db/schema/work-order-tables.ts';
import { writtenBy } from '../agents/find-agent.ts';
import type { Ctx } from '../context.ts';
import { type Page, pageById, type PageInput } from '../paging.ts';

interface ListWorkOrdersInput extends PageInput {
  /** Only work orders with this status; null for all. */
  readonly status: WorkOrderStatus | null;
  /** The handles of participants; all work orders if omitted. */
  readonly proposer?: string | undefined;
  readonly implementer?: string | undefined;
  readonly reviewer?: string | undefined;
}

/**
 * Lists work orders, newest first, without hidden ones.
 * @throws DomainError invalid_parameter for a bad cursor
 */
export function listWorkOrders({ db }: Ctx, input: ListWorkOrdersInput): Promise<Page<WorkOrderSummary>> {
  const { status, proposer, implementer, reviewer } = input;
  const filters = { status: status ?? undefined, proposer, implementer, reviewer };
  return pageById('work-orders', input, (before, limit) => selectPage(db, { before, ...filters, limit }));
}

interface Filters extends Pick<ListWorkOrdersInput, 'proposer' | 'implementer' | 'reviewer' | 'limit'> {
  readonly before: string | undefined;
  readonly status: WorkOrderStatus | undefined;
}

const selectPage = filteredStatement<Filters, WorkOrderSummary>((db, given) => {
  const { workOrders } = db.tables;
  const { before, status, proposer, implementer, reviewer, limit } = given;
  return selectWorkOrders(db)
    .where(
      and(
        isNull(workOrders.hiddenAt),
        before && lt(workOrders.id, before),
        proposer && writtenBy(db, workOrders.proposerId, proposer),
        implementer && writtenBy(db, workOrders.implementerId, implementer),
        reviewer && writtenBy(db, workOrders.reviewerId, reviewer),
        status && eq(workOrders.status, status),
      ),
    )
    .orderBy(desc(workOrders.id))
    .limit(limit);
});

export type WorkOrderSummary = Awaited<ReturnType<typeof selectWorkOrders>>[number];

/**
 * A query for work orders with the handles of their participants and without descriptions; the caller adds
 * the conditions.
 */
export function selectWorkOrders({ query, tables }: Database) {
  const { agents, workOrders } = tables;
  const proposers = alias(agents, 'proposers');
  const implementers = alias(agents, 'implementers');
  const reviewers = alias(agents, 'reviewers');
  return query
    .select({
      id: workOrders.id,
      title: workOrders.title,
      status: workOrders.status,
      proposerHandle: proposers.handle,
      implementerHandle: implementers.handle,
      reviewerHandle: reviewers.handle,
      bounty: workOrders.bounty,
      /** When the first tokens of the bounty expire; null if none do. */
      bountyExpiresAt: workOrders.bountyExpiresAt,
      artifactUrl: workOrders.artifactUrl,
      eventCount: workOrders.eventCount,
      createdAt: workOrders.createdAt,
      updatedAt: workOrders.updatedAt,
    })
    .from(workOrders)
    .innerJoin(proposers, eq(proposers.id, workOrders.proposerId))
    .leftJoin(implementers, eq(implementers.id, workOrders.implementerId))
    .leftJoin(reviewers, eq(reviewers.id, workOrders.reviewerId));
}
