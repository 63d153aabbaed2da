/**
 * Recomputes stored totals and the invariants of charges from the underlying rows, and reports every
 * difference. It is safe on a running hub: each check is a single statement and so sees one snapshot.
 */
import { count, inArray, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { isReservedSeat } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { WorkOrderStatus } from '#db/schema/work-order-tables.ts';
import type { Ctx } from '../context.ts';
import { type AuditCheck, type Drift, inLedger, reference, totals } from './find-drift.ts';
import { governanceChecks } from './governance-checks.ts';
import { leaderboardCheck } from './leaderboard-check.ts';
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

/**
 * Returns one result per check, in order. A consistent hub has no drifts.
 * @param ctx without the clock for a copy of a store
 */
export async function auditHub({
  db,
  clock,
}: Pick<Ctx, 'db'> & Partial<Pick<Ctx, 'clock'>>): Promise<readonly AuditResult[]> {
  const results: AuditResult[] = [];
  for (const check of auditChecks) {
    const startedAt = performance.now();
    const drifts = await check.find(db, driftsMax, clock?.now() ?? null);
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
    id: tokenAccounts.agentId,
    kept: tokenAccounts.balance,
    rowId: tokenEntries.agentId,
    counted: sql`sum(${tokenEntries.amount})`,
  })),
  totals('token_lots', 'A balance is the sum of what remains in its lots.', (tables) => ({
    id: tables.tokenAccounts.agentId,
    kept: tables.tokenAccounts.balance,
    rowId: tables.tokenLots.agentId,
    counted: sql`sum(${tables.tokenLots.remaining})`,
  })),
  totals('token_sequences', 'Entries are numbered without a gap.', ({ tokenAccounts, tokenEntries }) => ({
    id: tokenAccounts.agentId,
    kept: tokenAccounts.lastSequence,
    rowId: tokenEntries.agentId,
    counted: sql`case when max(${tokenEntries.sequence}) = count(*) then count(*) else -1 end`,
  })),
  inLedger('run_charges', 'A paid run is charged exactly once, at its price.', 'spend', ({ runs }) => ({
    id: runs.redemptionId,
    kept: runs.chargeTokens,
  })),
  inLedger(
    'run_refunds',
    'A failed run is refunded unless it is charged, and no other run is.',
    'refund',
    ({ runs }) => ({
      id: runs.redemptionId,
      kept: sql`case when ${runs.status} = 'failed' then ${runs.chargeTokens} else 0 end`,
    }),
  ),
  {
    name: 'run_states',
    promise:
      'A charge is held while its run is open, consumed when it completes, and refunded when it fails.',
    find: findWrongStates,
  },
  leaderboardCheck,
  ...workChecks,
  totals('seats_taken', 'seats_taken of an event is its number of reserved seats.', ({ events, seats }) => ({
    id: events.id,
    kept: events.seatsTaken,
    rowId: seats.eventId,
    counted: count(),
    where: isReservedSeat(seats),
  })),
  inLedger('seat_charges', 'A seat is charged exactly once, at its price.', 'spend', ({ seats }) => ({
    id: seats.id,
    kept: seats.pricePaid,
  })),
  inLedger('seat_refunds', 'The refund recorded on a seat is in the ledger.', 'refund', ({ seats }) => ({
    id: seats.id,
    kept: seats.refunded,
  })),
  inLedger('bounty_charges', 'A bounty is spent once, at the proposal.', 'spend', ({ workOrders }) => ({
    id: workOrders.id,
    kept: workOrders.bounty,
  })),
  inLedger(
    'bounty_refunds',
    'The bounty of a rejected work order is refunded, and no other.',
    'refund',
    ({ workOrders }) => ({ id: workOrders.id, kept: bountyIf(workOrders, 'rejected') }),
  ),
  totals(
    'bounty_payouts',
    'The bounty of a merged work order is paid out in full, and no other.',
    ({ workOrders, tokenEntries }) => ({
      id: workOrders.id,
      kept: bountyIf(workOrders, 'merged'),
      rowId: tokenEntries.reference,
      counted: sql`sum(${tokenEntries.amount})`,
      where: inArray(tokenEntries.source, ['implementer', 'reviewer']),
    }),
  ),
  totals('waitlists', 'waitlist_count of an event is the length of its waitlist.', (tables) => ({
    id: tables.events.id,
    kept: tables.events.waitlistCount,
    rowId: tables.waitlistEntries.eventId,
    counted: count(),
  })),
  totals('reputation', 'A reputation is the sum of its weights.', ({ agents, reputationEvents }) => ({
    id: agents.id,
    kept: agents.reputationTotal,
    rowId: reputationEvents.agentId,
    counted: sql`sum(${reputationEvents.weight})`,
  })),
  totals('suite_versions', 'newest_version of a suite is its number of versions.', (tables) => ({
    id: tables.suites.id,
    kept: tables.suites.newestVersion,
    rowId: tables.suiteVersions.suiteId,
    counted: count(),
  })),
  totals('thread_posts', 'post_count of a thread is its number of posts.', ({ threads, posts }) => ({
    id: threads.id,
    kept: threads.postCount,
    rowId: posts.threadId,
    counted: count(),
  })),
  ...governanceChecks,
  reference('seat_events', 'Every seat is at an event.', ({ events, seats }) => [
    seats.id,
    seats.eventId,
    events.id,
  ]),
  reference('seat_agents', 'Every seat belongs to an agent.', ({ agents, seats }) => [
    seats.id,
    seats.agentId,
    agents.id,
  ]),
  reference('token_entry_agents', 'Every ledger entry belongs to an agent.', ({ agents, tokenEntries }) => [
    tokenEntries.id,
    tokenEntries.agentId,
    agents.id,
  ]),
  reference('run_agents', 'Every run belongs to an agent.', ({ agents, runs }) => [
    runs.id,
    runs.agentId,
    agents.id,
  ]),
];

async function findWrongStates({ query, tables: { runs } }: Database, limit: number): Promise<Drift[]> {
  const due = sql<string>`case ${runs.status} when 'completed' then 'consumed' when 'failed' then 'refunded' else 'held' end`;
  return query
    .select({ subject: runs.id, kept: runs.chargeState, found: due })
    .from(runs)
    .where(sql`${runs.chargeState} <> ${due}`)
    .limit(limit);
}

function bountyIf({ bounty, status }: Tables['workOrders'], final: WorkOrderStatus): SQL {
  return sql`case when ${status} = ${sql.raw(`'${final}'`)} then ${bounty} else 0 end`;
}
