/**
 * The conditions of partial indexes, shared by the indexes and the queries that use them. A store only uses
 * such an index when the query repeats its condition with literal values: a parameter could hold any value.
 */
import { type Column, type SQL, sql } from 'drizzle-orm';

/** A lot with tokens left to spend. */
export function hasTokensLeft(lots: { readonly remaining: Column }): SQL {
  return sql`${lots.remaining} > 0`;
}

/** An eval job that has not ended. */
export function isOpenEvalJob(evalJobs: { readonly status: Column }): SQL {
  return sql`${evalJobs.status} in ('queued', 'running')`;
}

export function isRunningEvalJob(evalJobs: { readonly status: Column }): SQL {
  return sql`${evalJobs.status} = 'running'`;
}

export function isCompletedEvalJob(evalJobs: { readonly status: Column }): SQL {
  return sql`${evalJobs.status} = 'completed'`;
}

export function isRefundedEvalJob(evalJobs: { readonly chargeState: Column }): SQL {
  return sql`${evalJobs.chargeState} = 'refunded'`;
}

export function isReservedSeat(seats: { readonly status: Column }): SQL {
  return sql`${seats.status} = 'reserved'`;
}

/** A reserved seat whose meeting, if it has one, is not confirmed. */
export function isUnconfirmedSeat(seats: {
  readonly status: Column;
  readonly meetingConfirmedAt: Column;
}): SQL {
  return sql`${seats.status} = 'reserved' and ${seats.meetingConfirmedAt} is null`;
}

export function isMergedWorkOrder(workOrders: { readonly status: Column }): SQL {
  return sql`${workOrders.status} = 'merged'`;
}

export function isPendingReview(verificationReviews: { readonly status: Column }): SQL {
  return sql`${verificationReviews.status} = 'pending'`;
}

/** A delivery that has not been made yet. */
export function isPendingDelivery(webhookDeliveries: { readonly status: Column }): SQL {
  return sql`${webhookDeliveries.status} = 'pending'`;
}

/** A webhook that its agent has not deleted. */
export function isKeptWebhook(webhooks: { readonly deletedAt: Column }): SQL {
  return sql`${webhooks.deletedAt} is null`;
}
