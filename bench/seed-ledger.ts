/** Fills a store with consistent rows, as years of a busy hub leave them. */
import type { InsertedRow } from '#db/insert-statement.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { createId } from '#runtime/create-id.ts';
import { type BenchRows, insertRows } from './insert-rows.ts';
import { eventRow } from './seed-events.ts';

/** Each agent has a grant, runs and seats, and refunds for some of them. */
const runsEach = { completed: 20, failed: 9, open: 1 };
const seatsEach = { reserved: 6, cancelled: 2 };
const seatPrice = 2;
const tokensGranted = 1_000;
const postsEach = 5;
const postWeight = 3;
const runCount = runsEach.completed + runsEach.failed + runsEach.open;
const seatCount = seatsEach.reserved + seatsEach.cancelled;

export const entriesEach = 1 + runCount + runsEach.failed + seatCount + seatsEach.cancelled;
const agentsAtOnce = 100;

type Row<Name extends keyof Tables> = InsertedRow<Name>;
type Rows = Required<
  Omit<
    BenchRows,
    | 'bearerTokens'
    | 'runScorecards'
    | 'reputationCounts'
    | 'workOrders'
    | 'inboxEmails'
    | 'skills'
    | 'skillVersions'
    | 'workOrderEvents'
    | 'leaderboardEntries'
    | 'agentWords'
    | 'threadWords'
  >
>;

/** @returns the number of ledger entries: `entries`, rounded up to whole agents */
export async function seedLedger(ctx: Ctx, entries: number): Promise<number> {
  const agents = Math.ceil(entries / entriesEach);
  for (let first = 0; first < agents; first += agentsAtOnce) {
    const count = Math.min(agentsAtOnce, agents - first);
    await withTransaction(ctx, (inner) => insertRows(inner.db, rowsOf(ctx.clock.now(), count)));
  }
  return agents * entriesEach;
}

/** Agents with seats at the same events. */
function rowsOf(now: Date, count: number): Rows {
  const rows: Rows = {
    agents: [],
    tokenAccounts: [],
    tokenLots: [],
    redemptions: [],
    runs: [],
    jobs: [],
    events: [],
    seats: [],
    tokenEntries: [],
    reputationEvents: [],
    threads: [],
    posts: [],
  };
  for (let index = 0; index < count; index += 1) addAgent(rows, now);
  for (let index = 0; index < seatCount; index += 1) {
    const isCancelled = index < seatsEach.cancelled;
    const seatsTaken = isCancelled ? 0 : count;
    const event = {
      ...eventRow(rows.agents[0]?.id ?? '', count, now),
      startsAt: now,
      endsAt: new Date(now.getTime() + 1),
      seatsTaken,
      tokenPrice: seatPrice,
    };
    rows.events.push(event);
    for (const { id, handle } of rows.agents)
      rows.seats.push(seatRow(now, event.id, id, handle, isCancelled));
  }
  for (const { id } of rows.agents) addLedger(rows, now, id);
  return rows;
}

function addAgent(rows: Rows, now: Date): void {
  const id = createId(now);
  const name = id.replaceAll('-', '');
  rows.agents.push({
    id,
    handle: name.slice(8),
    agentType: 'other',
    publicKey: name,
    did: `did:key:${name}`,
    bio: 'Made for the benchmark.',
    site: null,
    verifiedBadge: false,
    publishScore: false,
    sponsorTier: 'none',
    reputationTotal: postsEach * postWeight,
    createdAt: now,
  });
  const threadId = createId(now);
  rows.threads.push({ id: threadId, authorId: id, title: 'A thread', postCount: postsEach, createdAt: now });
  for (let position = 1; position <= postsEach; position += 1) {
    const body = 'Text of an agent.';
    rows.posts.push({ id: createId(now), threadId, position, authorId: id, body, createdAt: now });
    const event = { kind: 'thread_started', reference: threadId, weight: postWeight } as const;
    rows.reputationEvents.push({ id: createId(now), agentId: id, ...event, createdAt: now });
  }
  for (let index = 0; index < runCount; index += 1) addRun(rows, now, id, index);
}

function addRun(rows: Rows, now: Date, agentId: string, index: number): void {
  const isOpen = index < runsEach.open;
  const isFailed = !isOpen && index < runsEach.open + runsEach.failed;
  const id = createId(now);
  const redemptionId = createId(now);
  const target = { product: 'eval-run', targetUrl: 'http://127.0.0.1:9/answer' };
  rows.redemptions.push({ id: redemptionId, agentId, ...target, cost: 1, free: false, createdAt: now });
  rows.runs.push({
    id,
    redemptionId,
    agentId,
    ...target,
    status: isOpen ? 'queued' : isFailed ? 'failed' : 'completed',
    chargeTokens: 1,
    chargeFree: false,
    chargeState: isOpen ? 'held' : isFailed ? 'refunded' : 'consumed',
    attempt: isOpen ? 0 : 1,
    releases: 0,
    lethalReplies: 0,
    trials: 1,
    shareReplies: false,
    hostNamed: false,
    repeat: 1,
    cancelled: false,
    delayedMs: 0,
    mode: 'push',
    runSize: 40,
    maxPromptTokens: 32_000,
    ranked: false,
    progressDone: 0,
    progressTotal: 40,
    suiteName: 'core',
    suiteVersion: '1',
    suiteSeed: '00000000000000000000000000000000',
    createdAt: now,
    finishedAt: isOpen ? null : now,
  });
  rows.jobs.push({
    id: createId(now),
    kind: 'run',
    payload: { runId: id },
    createdAt: now,
    runAt: now,
    publishedAt: now,
    closedAt: isOpen ? null : now,
  });
}

function seatRow(
  now: Date,
  eventId: string,
  agentId: string,
  agentHandle: string,
  isCancelled: boolean,
): Row<'seats'> {
  const id = createId(now);
  return {
    id,
    eventId,
    agentId,
    agentHandle,
    status: isCancelled ? 'cancelled' : 'reserved',
    idempotencyKey: id,
    cancelledBy: isCancelled ? id : null,
    pricePaid: seatPrice,
    refunded: isCancelled ? seatPrice : 0,
    reservedAt: now,
    cancelledAt: isCancelled ? now : null,
    calendarToken: id,
    calendarSequence: 0,
  };
}

/** The entries, the lot and the account of an agent. */
function addLedger(rows: Rows, now: Date, agentId: string): void {
  const lotId = createId(now);
  let sequence = 0;
  let balance = 0;
  const add = (kind: Row<'tokenEntries'>['kind'], amount: number, reference: string | null): void => {
    sequence += 1;
    balance += amount;
    rows.tokenEntries.push({
      id: createId(now),
      agentId,
      sequence,
      kind,
      amount,
      balanceAfter: balance,
      reason: 'For the benchmark',
      reference,
      source: '',
      expiresAt: null,
      lots: [{ lotId, amount: Math.abs(amount) }],
      createdAt: now,
    });
  };
  add('grant', tokensGranted, null);
  for (const job of ownOf(rows.runs, agentId)) {
    add('spend', -1, job.redemptionId);
    if (job.status === 'failed') add('refund', 1, job.redemptionId);
  }
  for (const seat of ownOf(rows.seats, agentId)) {
    add('spend', -seatPrice, seat.id);
    if (seat.refunded > 0) add('refund', seat.refunded, seat.id);
  }
  const lot = { id: lotId, agentId, amount: tokensGranted, remaining: balance, expiresAt: null };
  rows.tokenLots.push({ ...lot, hadGrace: false, createdAt: now });
  const freeEvalRedemptionId = rows.redemptions[0]?.id ?? null;
  rows.tokenAccounts.push({ agentId, balance, lastSequence: sequence, freeEvalRedemptionId });
}

function ownOf<Owned extends { agentId: string }>(rows: readonly Owned[], agentId: string): Owned[] {
  return rows.filter((row) => row.agentId === agentId);
}
