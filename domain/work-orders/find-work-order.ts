import { eq, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { prepareForTransactions } from '#db/prepare-once.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { DomainError } from '../errors.ts';

export type WorkOrderRow = Tables['workOrders']['$inferSelect'];

/** @throws DomainError work_order_not_found */
export async function findWorkOrder(db: Database, workOrderId: string): Promise<WorkOrderRow> {
  const [order] = await selectById(db).execute({ id: workOrderId });
  if (order !== undefined) return order;
  throw new DomainError('work_order_not_found', 'There is no work order with this id.', {
    hint: 'GET /v1/work-orders lists all work orders.',
  });
}

const selectById = prepareForTransactions(({ query, tables: { workOrders } }) =>
  query
    .select()
    .from(workOrders)
    .where(eq(workOrders.id, sql.placeholder('id')))
    .prepare('find_work_order'),
);
