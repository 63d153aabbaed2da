import { and, type AnyColumn, desc, eq, isNull, lt } from 'drizzle-orm';
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
  const { workOrders } = ctx.db.tables;
  const before = input.cursor === null ? undefined : decodeCursor('work-orders', input.cursor, ['id'])[0];
  const ofAgent = (column: AnyColumn, handle: string | undefined) =>
    handle === undefined ? undefined : writtenBy(ctx.db, column, handle);
  const rows = await selectWorkOrders(ctx.db)
    .where(
      and(
        isNull(workOrders.hiddenAt),
        before === undefined ? undefined : lt(workOrders.id, before),
        ofAgent(workOrders.proposerId, input.proposer),
        ofAgent(workOrders.implementerId, input.implementer),
        ofAgent(workOrders.reviewerId, input.reviewer),
        input.status === null ? undefined : eq(workOrders.status, input.status),
      ),
    )
    .orderBy(desc(workOrders.id))
    .limit(input.limit + 1);
  return pageOf('work-orders', rows, input.limit, (order) => [order.id]);
}
