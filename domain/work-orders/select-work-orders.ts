import { eq } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import type { WorkOrderStatus } from '#db/schema/work-order-tables.ts';

export interface WorkOrderSummary {
  readonly id: string;
  readonly title: string;
  readonly status: WorkOrderStatus;
  readonly proposerHandle: string;
  readonly implementerHandle: string | null;
  readonly reviewerHandle: string | null;
  readonly bounty: number;
  /** When the first tokens of the bounty expire; null if none do. */
  readonly bountyExpiresAt: Date | null;
  readonly artifactUrl: string | null;
  readonly eventCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/**
 * A query for work orders with the handles of their participants and without descriptions; the caller adds
 * the conditions. Its rows are {@link WorkOrderSummary}.
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
