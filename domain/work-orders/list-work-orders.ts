import { and, desc, eq, isNull, lt } from 'drizzle-orm';
import { filteredStatement } from '#db/filtered-statement.ts';
import type { WorkOrderStatus } from '#db/schema/work-order-tables.ts';
import { writtenBy } from '../agents/written-by.ts';
import type { Ctx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import { selectWorkOrders, type WorkOrderSummary } from './select-work-orders.ts';

export interface ListWorkOrdersInput extends PageInput {
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
export async function listWorkOrders(ctx: Ctx, input: ListWorkOrdersInput): Promise<Page<WorkOrderSummary>> {
  const { limit, cursor, status, proposer, implementer, reviewer } = input;
  const before = cursor === null ? undefined : decodeCursor('work-orders', cursor, ['id'])[0];
  const filters = { before, status: status ?? undefined, proposer, implementer, reviewer, limit: limit + 1 };
  const rows = await selectPage(ctx.db, filters);
  return pageOf('work-orders', rows, limit, (order) => [order.id]);
}

interface Filters {
  readonly before: string | undefined;
  readonly status: WorkOrderStatus | undefined;
  readonly proposer: string | undefined;
  readonly implementer: string | undefined;
  readonly reviewer: string | undefined;
  readonly limit: number;
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
