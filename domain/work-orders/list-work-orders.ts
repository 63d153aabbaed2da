import { and, desc, eq, lt } from 'drizzle-orm';
import type { WorkOrderStatus } from '#db/schema/work-order-tables.ts';
import type { Ctx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import { selectWorkOrders, type WorkOrderSummary } from './select-work-orders.ts';

export interface ListWorkOrdersInput extends PageInput {
  /** Only work orders with this status; null for all. */
  readonly status: WorkOrderStatus | null;
}

/**
 * Lists work orders, newest first.
 * @throws DomainError invalid_parameter for a bad cursor
 */
export async function listWorkOrders(ctx: Ctx, input: ListWorkOrdersInput): Promise<Page<WorkOrderSummary>> {
  const { workOrders } = ctx.db.tables;
  const before = input.cursor === null ? undefined : decodeCursor('work-orders', input.cursor, ['id'])[0];
  const rows = await selectWorkOrders(ctx.db)
    .where(
      and(
        before === undefined ? undefined : lt(workOrders.id, before),
        input.status === null ? undefined : eq(workOrders.status, input.status),
      ),
    )
    .orderBy(desc(workOrders.id))
    .limit(input.limit + 1);
  return pageOf('work-orders', rows, input.limit, (order) => [order.id]);
}
