/**
 * Recomputes stored totals and the invariants of charges from the underlying rows, and reports every
 * difference. It is safe on a running hub: each check is a single statement and so sees one snapshot.
 */
import { count, eq, inArray, sql } from 'drizzle-orm';
import { isReservedSeat } from '#db/schema/index-conditions.ts';
import type { Ctx } from '../context.ts';
import { asText, type AuditCheck, type Drift, totals } from './find-drift.ts';
import { governanceChecks } from './governance-checks.ts';
import { leaderboardCheck } from './leaderboard-check.ts';
import { referenceChecks } from './reference-checks.ts';
import { runChecks } from './run-checks.ts';
import { workChecks } from './work-checks.ts';

export interface AuditResult {
  readonly name: string;
  /** The guarantee that was checked. */
  readonly promise: string;
  /** At most `driftsMax`. */
  readonly drifts: readonly Drift[];
  readonly tookMs: number;
}

/** Limit per check. The first few rows are enough to find the cause. */
const driftsMax = 20;

/** Returns one result per check, in order. A consistent hub has no drifts. */
export async function auditHub({ db }: Pick<Ctx, 'db'>): Promise<readonly AuditResult[]> {
  const results: AuditResult[] = [];
  for (const check of auditChecks) {
    const startedAt = performance.now();
    const drifts = await check.find(db, driftsMax);
    results.push({
      name: check.name,
      promise: check.promise,
      drifts,
      tookMs: Math.round(performance.now() - startedAt),
    });
  }
  return results;
}

/** The checks of an audit. Each one is a guarantee of the hub and the query that finds violations of it. */
const auditChecks: readonly AuditCheck[] = [
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
  ...runChecks,
  leaderboardCheck,
  ...workChecks,
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
  totals('bounty_charges', 'A bounty is spent once, at the proposal.', ({ workOrders, tokenEntries }) => ({
    table: workOrders,
    id: asText(workOrders.id),
    kept: workOrders.bounty,
    rows: tokenEntries,
    rowId: tokenEntries.reference,
    counted: sql`-sum(${tokenEntries.amount})`,
    where: eq(tokenEntries.kind, 'spend'),
  })),
  totals(
    'bounty_refunds',
    'The bounty of a rejected work order is refunded, and no other.',
    ({ workOrders, tokenEntries }) => ({
      table: workOrders,
      id: asText(workOrders.id),
      kept: sql`case when ${workOrders.status} = 'rejected' then ${workOrders.bounty} else 0 end`,
      rows: tokenEntries,
      rowId: tokenEntries.reference,
      counted: sql`sum(${tokenEntries.amount})`,
      where: eq(tokenEntries.kind, 'refund'),
    }),
  ),
  totals(
    'bounty_payouts',
    'The bounty of a merged work order is paid out in full, and no other.',
    ({ workOrders, tokenEntries }) => ({
      table: workOrders,
      id: asText(workOrders.id),
      kept: sql`case when ${workOrders.status} = 'merged' then ${workOrders.bounty} else 0 end`,
      rows: tokenEntries,
      rowId: tokenEntries.reference,
      counted: sql`sum(${tokenEntries.amount})`,
      where: inArray(tokenEntries.source, ['implementer', 'reviewer']),
    }),
  ),
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
  totals(
    'suite_versions',
    'newest_version of a suite is its number of versions.',
    ({ suites, suiteVersions }) => ({
      table: suites,
      id: suites.id,
      kept: suites.newestVersion,
      rows: suiteVersions,
      rowId: suiteVersions.suiteId,
      counted: count(),
    }),
  ),
  totals('thread_posts', 'post_count of a thread is its number of posts.', ({ threads, posts }) => ({
    table: threads,
    id: threads.id,
    kept: threads.postCount,
    rows: posts,
    rowId: posts.threadId,
    counted: count(),
  })),
  ...governanceChecks,
  ...referenceChecks,
];
