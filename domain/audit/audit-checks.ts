/** The checks of an audit. Each one is a guarantee of the hub and the query that finds violations of it. */
import { count, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { isOpenEvalJob, isPendingDelivery, isReservedSeat } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { type Comparison, type Drift, findDrift } from './find-drift.ts';
import { findMissingJobs, type Promised } from './find-missing-jobs.ts';

export type { Drift } from './find-drift.ts';

export interface AuditCheck {
  readonly name: string;
  readonly promise: string;
  find(db: Database, limit: number): Promise<Drift[]>;
}

function totals(name: string, promise: string, compare: (tables: Tables) => Comparison): AuditCheck {
  return { name, promise, find: (db, limit) => findDrift(db, compare(db.tables), limit) };
}

function forgotten(name: string, promise: string, promised: (tables: Tables) => Promised): AuditCheck {
  return { name, promise, find: (db, limit) => findMissingJobs(db, promised(db.tables), limit) };
}

const asText = (
  id: Tables['seats']['id'] | Tables['redemptions']['id'] | Tables['evalJobs']['redemptionId'],
) => sql`cast(${id} as text)`;

export const auditChecks: readonly AuditCheck[] = [
  totals('token_balances', 'A balance is the sum of its entries.', ({ tokenAccounts, tokenEntries }) => ({
    table: tokenAccounts,
    id: tokenAccounts.agentId,
    kept: tokenAccounts.balance,
    rows: tokenEntries,
    rowId: tokenEntries.agentId,
    counted: sql`sum(${tokenEntries.amount})`,
  })),
  totals(
    'token_lots',
    'A balance is the sum of what remains in its lots.',
    ({ tokenAccounts, tokenLots }) => ({
      table: tokenAccounts,
      id: tokenAccounts.agentId,
      kept: tokenAccounts.balance,
      rows: tokenLots,
      rowId: tokenLots.agentId,
      counted: sql`sum(${tokenLots.remaining})`,
    }),
  ),
  totals('token_sequences', 'Entries are numbered without a gap.', ({ tokenAccounts, tokenEntries }) => ({
    table: tokenAccounts,
    id: tokenAccounts.agentId,
    kept: tokenAccounts.lastSequence,
    rows: tokenEntries,
    rowId: tokenEntries.agentId,
    counted: sql`case when max(${tokenEntries.sequence}) = count(*) then count(*) else -1 end`,
  })),
  totals(
    'eval_charges',
    'A paid run is charged exactly once, at its price.',
    ({ redemptions, tokenEntries }) => ({
      table: redemptions,
      id: asText(redemptions.id),
      kept: redemptions.cost,
      rows: tokenEntries,
      rowId: tokenEntries.reference,
      counted: sql`-sum(${tokenEntries.amount})`,
      where: eq(tokenEntries.kind, 'spend'),
    }),
  ),
  totals('eval_refunds', 'A failed run is refunded, and no other run is.', ({ evalJobs, tokenEntries }) => ({
    table: evalJobs,
    id: asText(evalJobs.redemptionId),
    kept: sql`case when ${evalJobs.status} = 'failed' then ${evalJobs.chargeTokens} else 0 end`,
    rows: tokenEntries,
    rowId: tokenEntries.reference,
    counted: sql`sum(${tokenEntries.amount})`,
    where: eq(tokenEntries.kind, 'refund'),
  })),
  {
    name: 'eval_states',
    promise: 'A charge is held while its run is open, then consumed or refunded when it ends.',
    find: findWrongEvalStates,
  },
  forgotten('eval_work', 'Every open run has an open job.', ({ evalJobs }) => ({
    kind: 'eval-run',
    table: evalJobs,
    id: sql`${evalJobs.id}`,
    status: sql`${evalJobs.status}`,
    isOpen: isOpenEvalJob(evalJobs),
  })),
  forgotten('mail_work', 'Every email still to be sent has an open job.', ({ mails }) => ({
    kind: 'mail',
    table: mails,
    id: sql`${mails.id}`,
    status: sql`${mails.status}`,
    isOpen: isNull(mails.endedAt),
  })),
  forgotten('webhook_work', 'Every pending delivery has an open job.', ({ webhookDeliveries }) => ({
    kind: 'webhook-delivery',
    table: webhookDeliveries,
    id: sql`${webhookDeliveries.id}`,
    status: sql`${webhookDeliveries.status}`,
    isOpen: isPendingDelivery(webhookDeliveries),
  })),
  totals('seats_taken', 'seats_taken of an event is its number of reserved seats.', ({ events, seats }) => ({
    table: events,
    id: events.id,
    kept: events.seatsTaken,
    rows: seats,
    rowId: seats.eventId,
    counted: count(),
    where: isReservedSeat(seats),
  })),
  totals('seat_charges', 'A seat is charged exactly once, at its price.', ({ seats, tokenEntries }) => ({
    table: seats,
    id: asText(seats.id),
    kept: seats.pricePaid,
    rows: tokenEntries,
    rowId: tokenEntries.reference,
    counted: sql`-sum(${tokenEntries.amount})`,
    where: eq(tokenEntries.kind, 'spend'),
  })),
  totals('seat_refunds', 'The refund recorded on a seat is in the ledger.', ({ seats, tokenEntries }) => ({
    table: seats,
    id: asText(seats.id),
    kept: seats.refunded,
    rows: tokenEntries,
    rowId: tokenEntries.reference,
    counted: sql`sum(${tokenEntries.amount})`,
    where: eq(tokenEntries.kind, 'refund'),
  })),
  totals(
    'waitlists',
    'waitlist_count of an event is the length of its waitlist.',
    ({ events, waitlistEntries }) => ({
      table: events,
      id: events.id,
      kept: events.waitlistCount,
      rows: waitlistEntries,
      rowId: waitlistEntries.eventId,
      counted: count(),
    }),
  ),
  totals('reputation', 'A reputation is the sum of its weights.', ({ agents, reputationEvents }) => ({
    table: agents,
    id: agents.id,
    kept: agents.reputationTotal,
    rows: reputationEvents,
    rowId: reputationEvents.agentId,
    counted: sql`sum(${reputationEvents.weight})`,
  })),
  totals('thread_posts', 'post_count of a thread is its number of posts.', ({ threads, posts }) => ({
    table: threads,
    id: threads.id,
    kept: threads.postCount,
    rows: posts,
    rowId: posts.threadId,
    counted: count(),
  })),
];

async function findWrongEvalStates(db: Database, limit: number): Promise<Drift[]> {
  const { evalJobs } = db.tables;
  const due = sql<string>`case ${evalJobs.status} when 'completed' then 'consumed' when 'failed' then 'refunded' else 'held' end`;
  return db.query
    .select({ subject: evalJobs.id, kept: evalJobs.chargeState, found: due })
    .from(evalJobs)
    .where(sql`${evalJobs.chargeState} <> ${due}`)
    .limit(limit);
}
