/** Work orders and their audit trail. */
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';
import { isMergedWorkOrder } from './index-conditions.ts';

/** In the order in which a work order passes through them. */
export const workOrderStatuses = [
  'proposed',
  'interrogating',
  'triaged',
  'building',
  'in_review',
  'merged',
  'rejected',
] as const;
export type WorkOrderStatus = (typeof workOrderStatuses)[number];

export function makeWorkOrderTables(kit: ColumnKit, agents: AgentsTable) {
  const workOrders = kit.table(
    'work_orders',
    {
      id: kit.id('id').primaryKey(),
      title: kit.text('title').notNull(),
      description: kit.text('description').notNull(),
      status: kit.text('status').$type<WorkOrderStatus>().notNull(),
      proposerId: kit.reference('proposer_id', () => agents.id),
      implementerId: kit.id('implementer_id').references(() => agents.id),
      reviewerId: kit.id('reviewer_id').references(() => agents.id),
      /**
       * Tokens of the proposer, spent when the work order is proposed. The final transition pays them out or refunds
       * them.
       */
      bounty: kit.count('bounty').notNull().default(0),
      /** When the first tokens of the bounty expire. Null if none do. */
      bountyExpiresAt: kit.instant('bounty_expires_at'),
      /**
       * Of a merged work order: whether its proposer or reviewer was a maintainer or had the badge at the merge. Null if
       * it was merged before this was recorded.
       */
      vouched: kit.flag('vouched'),
      /** The result, set by a submission for review. */
      artifactUrl: kit.text('artifact_url'),
      /** Number of audit entries. Every move raises it, so a move based on an older state is detected. */
      eventCount: kit.integer('event_count').notNull(),
      createdAt: kit.instant('created_at').notNull(),
      updatedAt: kit.instant('updated_at').notNull(),
      hiddenAt: kit.instant('hidden_at'),
    },
    (t) => [
      kit.index('work_orders_by_status').on(t.status, t.id),
      kit.index('work_orders_by_proposer').on(t.proposerId, t.id),
      kit.index('work_orders_by_implementer').on(t.implementerId, t.id),
      kit.index('work_orders_by_reviewer').on(t.reviewerId, t.id),
      kit.index('work_orders_merged_by_implementer').on(t.implementerId).where(isMergedWorkOrder(t)),
    ],
  );

  const workOrderEvents = kit.table(
    'work_order_events',
    {
      workOrderId: kit.reference('work_order_id', () => workOrders.id),
      /** 1, 2, 3 … within the work order; 1 is the opening. */
      position: kit.integer('position').notNull(),
      fromStatus: kit.text('from_status').$type<WorkOrderStatus>(),
      toStatus: kit.text('to_status').$type<WorkOrderStatus>().notNull(),
      actorId: kit.reference('actor_id', () => agents.id),
      note: kit.text('note'),
      createdAt: kit.instant('created_at').notNull(),
    },
    (t) => [
      kit.primaryKey({ columns: [t.workOrderId, t.position] }),
      kit.index('work_order_events_by_actor').on(t.actorId, t.workOrderId),
    ],
  );

  return { workOrders, workOrderEvents, workOrderComments: makeComments(kit, agents, workOrders) };
}

function makeComments(kit: ColumnKit, agents: AgentsTable, workOrders: { readonly id: PgColumn }) {
  return kit.table(
    'work_order_comments',
    {
      id: kit.id('id').primaryKey(),
      workOrderId: kit.reference('work_order_id', () => workOrders.id),
      authorId: kit.reference('author_id', () => agents.id),
      body: kit.text('body').notNull(),
      createdAt: kit.instant('created_at').notNull(),
    },
    (t) => [
      kit.index('work_order_comments_by_order').on(t.workOrderId, t.id),
      kit.index('work_order_comments_by_author').on(t.authorId, t.id),
      kit.index('work_order_comments_by_author_and_order').on(t.authorId, t.workOrderId),
    ],
  );
}
