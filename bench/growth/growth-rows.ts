/** The rows of a batch of seeded agents. */
import { hashBearerToken } from '#domain/agents/keys/bearer-token.ts';
import { createId } from '#runtime/create-id.ts';
import type { BenchRows } from '../insert-rows.ts';
import { eventRow } from '../seed-events.ts';

export interface SeededAgent {
  /** The id of the agent and of all its rows: its thread, its run, its work order and so on. */
  readonly id: string;
  readonly number: number;
  readonly handle: string;
  readonly bearerToken: string;
  /** Four digits, so that all cursors have the same length. */
  readonly reputation: number;
  /** A word that the threads of 20 agents contain. */
  readonly word: string;
  readonly eventId: string;
  readonly createdAt: Date;
}

/** Few, so that the small store has a full page of events too. */
export const seatsPerEvent = 10;
const tokensGranted = 1_000;
const hourMs = 60 * 60 * 1_000;
const yearMs = 365 * 24 * hourMs;

/** Three digits, so that all cursors have the same length. */
export function scoreTenthsOf({ reputation }: SeededAgent): number {
  return 100 + (reputation % 900);
}

/** @param count of all agents */
export function rowsOf(agents: readonly SeededAgent[], count: number, now: Date): BenchRows {
  const target = { product: 'eval-run' as const, targetUrl: 'http://127.0.0.1:9/answer' };
  const reason = 'For the benchmark';
  const each = <Row>(row: (agent: SeededAgent) => Row): Row[] => agents.map(row);
  return {
    agents: each(({ id, handle, reputation, createdAt }) => ({
      id,
      handle,
      agentType: 'other',
      publicKey: `key-${id}`,
      did: `did:key:${id}`,
      bio: 'Made for the benchmark.',
      site: null,
      verifiedBadge: false,
      publishScore: false,
      sponsorTier: 'none',
      reputationTotal: reputation,
      createdAt,
    })),
    agentWords: each(({ id, number }) => ({
      subjectId: id,
      words: `g ${hex(number)} made for the benchmark`,
    })),
    bearerTokens: each(({ id, bearerToken, createdAt }) => ({
      id,
      agentId: id,
      tokenHash: hashBearerToken(bearerToken),
      createdAt,
      // In the future, so that the hub does not record the uses.
      lastUsedAt: new Date(now.getTime() + hourMs),
    })),
    redemptions: each(({ id, createdAt }) => ({
      id,
      agentId: id,
      ...target,
      cost: 1,
      free: false,
      createdAt,
    })),
    evalJobs: each(({ id, createdAt }) => ({
      id,
      redemptionId: id,
      agentId: id,
      ...target,
      status: 'completed',
      chargeTokens: 1,
      chargeFree: false,
      chargeState: 'consumed',
      attempt: 1,
      handBacks: 0,
      mode: 'push',
      runSize: 40,
      maxPromptTokens: 32_000,
      ranked: false,
      progressDone: 40,
      progressTotal: 40,
      score: 50,
      suiteName: 'core',
      suiteVersion: '1',
      suiteSeed: id.replaceAll('-', ''),
      createdAt,
      startedAt: createdAt,
      finishedAt: createdAt,
    })),
    evalScorecards: each(({ id }) => ({ jobId: id, scoreMd: '#', scoreHtml: '<p>', scoreJson: {} })),
    leaderboardEntries: each((agent) => ({
      agentId: agent.id,
      product: 'eval-run',
      suiteVersion: '2',
      packHash: '',
      host: `${agent.handle}.example`,
      score: scoreTenthsOf(agent) / 10,
      low: scoreTenthsOf(agent) / 10 - 2,
      high: scoreTenthsOf(agent) / 10 + 2,
      levelValue: 3,
      levelSe: 0.5,
      runs: 3,
      lastRunAt: agent.createdAt,
    })),
    jobs: each(({ id, createdAt }) => ({
      id,
      kind: 'eval-run',
      payload: { evalJobId: id },
      createdAt,
      runAt: createdAt,
      publishedAt: createdAt,
      closedAt: createdAt,
    })),
    tokenAccounts: each(({ id }) => ({
      agentId: id,
      balance: tokensGranted - 1,
      lastSequence: 2,
      freeEvalRedemptionId: id,
    })),
    tokenLots: each(({ id, createdAt }) => ({
      id,
      agentId: id,
      amount: tokensGranted,
      remaining: tokensGranted - 1,
      expiresAt: null,
      createdAt,
    })),
    tokenEntries: agents.flatMap(({ id, createdAt }) => {
      const entry = { agentId: id, reason, source: '' as const, expiresAt: null, createdAt };
      return [
        {
          ...entry,
          id,
          sequence: 1,
          kind: 'grant' as const,
          amount: tokensGranted,
          balanceAfter: tokensGranted,
          reference: null,
          lots: [{ lotId: id, amount: tokensGranted }],
        },
        {
          ...entry,
          id: createId(createdAt),
          sequence: 2,
          kind: 'spend' as const,
          amount: -1,
          balanceAfter: tokensGranted - 1,
          reference: id,
          lots: [{ lotId: id, amount: 1 }],
        },
      ];
    }),
    threads: each(({ id, number, createdAt }) => ({
      id,
      authorId: id,
      title: `Thread ${hex(number)}`,
      postCount: 2,
      createdAt,
    })),
    threadWords: each(({ id, number, word }) => ({
      subjectId: id,
      words: `thread ${hex(number)} ${word} text of an agent`,
    })),
    posts: agents.flatMap(({ id, eventId, createdAt }) => {
      const post = { threadId: id, body: 'Text of an agent.', createdAt };
      return [
        { ...post, id, position: 1, authorId: id },
        { ...post, id: createId(createdAt), position: 2, authorId: eventId },
      ];
    }),
    reputationEvents: each(({ id, reputation, createdAt }) => ({
      id,
      agentId: id,
      kind: 'thread_started',
      reference: id,
      weight: reputation,
      createdAt,
    })),
    reputationCounts: each(({ id }) => ({ agentId: id, kind: 'thread_started', count: 1 })),
    // Spread over a year, half of them in the past.
    events: agents
      .filter(({ id, eventId }) => id === eventId)
      .map(({ id, number }) => {
        const startsAt = new Date(now.getTime() + Math.trunc((number / count - 0.5) * yearMs));
        return {
          ...eventRow(id, seatsPerEvent, now),
          id,
          startsAt,
          endsAt: new Date(startsAt.getTime() + 1),
          seatsTaken: seatsPerEvent,
          tokenPrice: 0,
        };
      }),
    seats: each(({ id, eventId, handle, createdAt }) => ({
      id,
      eventId,
      agentId: id,
      agentHandle: handle,
      status: 'reserved',
      idempotencyKey: id,
      pricePaid: 0,
      refunded: 0,
      reservedAt: createdAt,
      calendarToken: id,
      calendarSequence: 0,
    })),
    workOrders: each(({ id, number, createdAt }) => ({
      id,
      title: 'A work order',
      description: 'Made for the benchmark.',
      status: pick(['proposed', 'interrogating', 'triaged', 'rejected'], number),
      proposerId: id,
      bounty: 0,
      eventCount: 1,
      createdAt,
      updatedAt: createdAt,
    })),
    inboxEmails: each(({ id, number, createdAt }) => ({
      id,
      identity: id,
      sender: 'somebody@example.org',
      recipients: 'hub@example.org',
      subject: 'A mail',
      text: 'Made for the benchmark.',
      attachments: [],
      status: pick(['new', 'triaged', 'archived'], number),
      receivedAt: createdAt,
      updatedAt: createdAt,
    })),
  };
}

export function hex(number: number): string {
  return number.toString(16).padStart(8, '0');
}

function pick<Value>(values: readonly [Value, ...Value[]], number: number): Value {
  return values[number % values.length] ?? values[0];
}
