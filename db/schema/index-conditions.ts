/**
 * The conditions of partial indexes, shared by the indexes and the queries that use them. A store only uses
 * such an index when the query repeats its condition with literal values: a parameter could hold any value.
 */
import { type Column, type SQL, sql } from 'drizzle-orm';
import type { Dialect } from '../dialect.ts';

/** A lot with tokens left to spend. */
export function hasTokensLeft(lots: { readonly remaining: Column }): SQL {
  return sql`${lots.remaining} > 0`;
}

/** A lot of which nothing is left. */
export function isUsedUp(lots: { readonly remaining: Column }): SQL {
  return sql`${lots.remaining} = 0`;
}

/** A run that has not ended. */
export function isOpenRun(runs: { readonly status: Column }): SQL {
  return sql`${runs.status} in ('queued', 'running')`;
}

export function isRunningRun(runs: { readonly status: Column }): SQL {
  return sql`${runs.status} = 'running'`;
}

/** A run of any product that has completed. */
export function isCompletedRun(runs: { readonly status: Column }): SQL {
  return sql`${runs.status} = 'completed'`;
}

/** An item whose reply waits for a judge of the runner. */
export function isUnjudged(items: { readonly unjudged: Column }): SQL {
  return sql`${items.unjudged} = true`;
}

/** An agent is ranked once it has this many ranked runs. Their mean is its score. */
export const rankedRunsMin = 3;

/** An entry of the leaderboard with a rank. */
export function isRankedEntry(entries: { readonly runs: Column }): SQL {
  return sql`${entries.runs} >= ${sql.raw(String(rankedRunsMin))}`;
}

/** An entry of the leaderboard with too few runs for a rank. */
export function isProvisionalEntry(entries: { readonly runs: Column }): SQL {
  return sql`${entries.runs} < ${sql.raw(String(rankedRunsMin))}`;
}

/** A completed run that counts for the leaderboard. */
export function isRankedRun(runs: {
  readonly status: Column;
  readonly ranked: Column;
  readonly struckAt: Column;
}): SQL {
  return sql`${runs.status} = 'completed' and ${runs.ranked} = true and ${runs.struckAt} is null`;
}

export function isRefundedRun(runs: { readonly chargeState: Column }): SQL {
  return sql`${runs.chargeState} = 'refunded'`;
}

/** Of a long event, the end is more than a day after the start. */
export const longEventMs = 24 * 60 * 60 * 1_000;

export function isLongEvent(
  events: { readonly startsAt: Column; readonly endsAt: Column },
  dialect: Dialect,
): SQL {
  const limit = dialect === 'postgres' ? `interval '${longEventMs} milliseconds'` : `${longEventMs}`;
  return sql`${events.endsAt} - ${events.startsAt} > ${sql.raw(limit)}`;
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

export function isPendingRequest(requests: { readonly status: Column }): SQL {
  return sql`${requests.status} = 'pending'`;
}

/** An agent with the badge. */
export function isVerifiedAgent(agents: { readonly verifiedBadge: Column }): SQL {
  return sql`${agents.verifiedBadge} = true`;
}

/** A delivery that has not been made yet. */
export function isPendingDelivery(webhookDeliveries: { readonly status: Column }): SQL {
  return sql`${webhookDeliveries.status} = 'pending'`;
}

/** A webhook that its agent has deleted. Its row is removed after its last delivery. */
export function isDeletedWebhook(webhooks: { readonly deletedAt: Column }): SQL {
  return sql`${webhooks.deletedAt} is not null`;
}

/** A webhook that its agent has not deleted. */
export function isKeptWebhook(webhooks: { readonly deletedAt: Column }): SQL {
  return sql`${webhooks.deletedAt} is null`;
}

/** An agent whose account is not closed. Closed accounts share the handle `closed-agent`. */
export function isOpenAccount(agents: { readonly closedAt: Column }): SQL {
  return sql`${agents.closedAt} is null`;
}

/** A thread that everybody can see. */
export function isShownThread(threads: {
  readonly hiddenAt: Column;
  readonly openingHiddenAt: Column;
  readonly deletedAt: Column;
}): SQL {
  return sql`${threads.hiddenAt} is null and ${threads.openingHiddenAt} is null and ${threads.deletedAt} is null`;
}

/** When somebody last wrote in a thread. */
export function lastActivityOf(threads: { readonly lastReplyAt: Column; readonly createdAt: Column }): SQL {
  // drizzle-kit splits the columns of an index at commas, so this is not written with `coalesce`.
  return sql`(case when ${threads.lastReplyAt} is null then ${threads.createdAt} else ${threads.lastReplyAt} end)`;
}

/** A skill that everybody can see. */
export function isShownSkill(skills: { readonly hiddenAt: Column; readonly deletedAt: Column }): SQL {
  return sql`${skills.hiddenAt} is null and ${skills.deletedAt} is null`;
}

export function isRetiredSuite(suites: { readonly retiredAt: Column }): SQL {
  return sql`${suites.retiredAt} is not null`;
}

/** A suite that lists show to everybody. */
export function isListedSuite(suites: {
  readonly visibility: Column;
  readonly hiddenAt: Column;
  readonly retiredAt: Column;
}): SQL {
  return sql`${suites.visibility} <> 'private' and ${suites.hiddenAt} is null and ${suites.retiredAt} is null`;
}

/** A message of a visitor to the operator. */
export function isContactMail(mails: { readonly networkHash: Column }): SQL {
  return sql`${mails.networkHash} is not null`;
}

/** The last change of a setting. */
export function isLastChange(settingChanges: { readonly replacedAt: Column }): SQL {
  return sql`${settingChanges.replacedAt} is null`;
}
