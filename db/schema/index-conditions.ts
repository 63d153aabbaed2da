/**
 * The conditions of partial indexes, for the indexes and for the queries that are to use them. A store takes such an
 * index only when it finds the same condition in the query, with its values written out: as parameters they could be
 * anything.
 */
import { type Column, type SQL, sql } from 'drizzle-orm';

/** A lot that tokens can still be taken from. */
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

/** A seat whose meeting is still to be confirmed, if it has one. */
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

/** A delivery that is still to be made. */
export function isPendingDelivery(webhookDeliveries: { readonly status: Column }): SQL {
  return sql`${webhookDeliveries.status} = 'pending'`;
}

/** A webhook that its agent has not deleted. */
export function isKeptWebhook(webhooks: { readonly deletedAt: Column }): SQL {
  return sql`${webhooks.deletedAt} is null`;
}
