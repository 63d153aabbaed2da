import { and, asc, eq, lte, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { prepareForTransactions } from '#db/prepared.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { ActingAgent, Ctx } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { contentHidden, maySeeHidden } from '../moderation/hidden-content.ts';
import { selectWorkOrders, type WorkOrderSummary } from './list-work-orders.ts';
import { operation } from '../operation.ts';

export interface ShownWorkOrder extends WorkOrderSummary {
  readonly description: string;
  readonly hiddenAt: Date | null;
  /** Oldest first. The state machine bounds their number. */
  readonly events: Awaited<ReturnType<ReturnType<typeof selectEvents>['execute']>>;
}

export interface ShowWorkOrderInput {
  readonly workOrderId: string;
  /** The reader, if it is a known agent. */
  readonly viewer?: ActingAgent | null;
}

/**
 * Returns a work order with its audit trail.
 * @throws DomainError not_found, content_hidden
 */
export async function showWorkOrder(ctx: Ctx, input: ShowWorkOrderInput): Promise<ShownWorkOrder> {
  const order = await findWorkOrder(ctx.db, input.workOrderId);
  requireVisible(ctx, order, input.viewer ?? null);
  return readWorkOrder(ctx, order);
}

/** Finds hidden work orders too, because their participants may change the status. */
export async function readWorkOrder(
  ctx: Ctx,
  { id: workOrderId, description, hiddenAt }: WorkOrderRow,
): Promise<ShownWorkOrder> {
  const [summary] = await selectSummary(ctx.db).execute({ id: workOrderId });
  invariant(summary !== undefined, 'Work orders and their proposers are never removed.');
  const events = await selectEvents(ctx.db).execute({ workOrderId, eventCount: summary.eventCount });
  invariant(events.length === summary.eventCount, 'Every transition of a work order has an audit entry.');
  return { ...summary, description, hiddenAt, events };
}

const selectSummary = prepareForTransactions((db) =>
  selectWorkOrders(db)
    .where(eq(db.tables.workOrders.id, sql.placeholder('id')))
    .prepare('show_work_order'),
);

const selectEvents = prepareForTransactions(({ query, tables: { agents, workOrderEvents } }) =>
  query
    .select({
      /** Null for the first entry. */
      fromStatus: workOrderEvents.fromStatus,
      toStatus: workOrderEvents.toStatus,
      actorHandle: agents.handle,
      note: workOrderEvents.note,
      createdAt: workOrderEvents.createdAt,
    })
    .from(workOrderEvents)
    .innerJoin(agents, eq(agents.id, workOrderEvents.actorId))
    // Leave out moves made since the work order was read, so that the last entry matches its status.
    .where(
      and(
        eq(workOrderEvents.workOrderId, sql.placeholder('workOrderId')),
        lte(workOrderEvents.position, sql.placeholder('eventCount')),
      ),
    )
    .orderBy(asc(workOrderEvents.position))
    .prepare('show_audit_trail'),
);

export type WorkOrderRow = Tables['workOrders']['$inferSelect'];

/** @throws DomainError not_found */
export async function findWorkOrder(db: Database, workOrderId: string): Promise<WorkOrderRow> {
  const [order] = await selectById(db).execute({ id: workOrderId });
  if (order !== undefined) return order;
  throw new DomainError('not_found', 'There is no work order with this id.', {
    hint: `${operation('listWorkOrders')} lists all work orders.`,
  });
}

const selectById = prepareForTransactions(({ query, tables: { workOrders } }) =>
  query
    .select()
    .from(workOrders)
    .where(eq(workOrders.id, sql.placeholder('id')))
    .prepare('find_work_order'),
);

/** @throws DomainError content_hidden unless the viewer may see the work order */
export function requireVisible(ctx: Ctx, order: WorkOrderRow, viewer: ActingAgent | null): void {
  if (order.hiddenAt === null || maySeeHidden(ctx, viewer, order.proposerId)) return;
  throw contentHidden('work order');
}

/**
 * For those who comment on a work order or change its status: its implementer and reviewer may also do so while it is
 * hidden.
 * @throws DomainError content_hidden
 */
export function requireOpenTo(ctx: Ctx, order: WorkOrderRow, agent: ActingAgent): void {
  if (agent.id !== order.implementerId && agent.id !== order.reviewerId) requireVisible(ctx, order, agent);
}
