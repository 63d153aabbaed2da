/** The rows of a batch of seeded agents. */
import { hashBearerToken } from '#domain/agents/token-bearers.ts';
import { createId } from '#runtime/create-id.ts';
import { checkVersion } from '#evals/health/health-check.ts';
import type { BenchRows } from '../insert-rows.ts';
import { eventRow } from '../seed-events.ts';
import { publishedRowsOf } from './published-rows.ts';
import { hex, pick, type SeededAgent } from './seeded-agent.ts';
import type { StoredSuiteResult } from '#evals/own-suite/stored-trial.ts';

/** Of a completed run. */
const result: StoredSuiteResult = {
  pass_rate: { value: 0.5, low: 0.4, high: 0.6 },
  pass_k: { k: 1, value: 0.5 },
  flaky: [],
  tags: {},
  latency: null,
  usage: null,
  ungraded: 0,
  errors: 0,
  unanswered: 0,
  exact: { numerator: '1', denominator: '2' },
  marks: {},
  findings: [],
};

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
  const published = publishedRowsOf(agents);
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
      publishHistory: false,
      sponsorTier: 'none',
      reputationTotal: reputation,
      createdAt,
      allowancePeriod: 0,
    })),
    bearerTokens: each(({ id, bearerToken, createdAt }) => ({
      id,
      agentId: id,
      tokenHash: hashBearerToken(bearerToken),
      createdAt,
      // In the future, so that the hub does not record the uses.
      lastUsedAt: new Date(now.getTime() + hourMs),
    })),
    runs: each(({ id, createdAt }) => ({
      id,
      redemptionId: id,
      agentId: id,
      ...target,
      status: 'completed',
      chargeTokens: 1,
      chargeFree: false,
      chargeState: 'consumed',
      attempt: 1,
      releases: 0,
      trials: 1,
      shareReplies: false,
      hostNamed: false,
      cancelled: false,
      delayedMs: 0,
      calls: 0,
      mode: 'push',
      runSize: 40,
      maxPromptTokens: 32_000,
      ranked: false,
      progressDone: 40,
      progressTotal: 40,
      score: 50,
      estimate: { interval: { low: 40, high: 60 } },
      suiteName: 'core',
      suiteVersion: '1',
      suiteSeed: id.replaceAll('-', ''),
      seedGiven: false,
      createdAt,
      startedAt: createdAt,
      finishedAt: createdAt,
    })),
    runScorecards: each(({ id }) => ({ runId: id, scoreJson: { ...result }, changes: 0 })),
    leaderboardEntries: each((agent) => ({
      agentId: agent.id,
      product: 'eval-run',
      suiteVersion: checkVersion,
      suiteVersionId: '',
      host: `${agent.handle}.example`,
      hostNamed: false,
      score: scoreTenthsOf(agent) / 10,
      low: scoreTenthsOf(agent) / 10 - 2,
      high: scoreTenthsOf(agent) / 10 + 2,
      cost: {
        score_per_1000_tokens: 2.5,
        tokens: 20_000,
        calls: null,
        calls_per_passed_task: null,
        latency: null,
      },
      runs: 3,
      lastRunAt: agent.createdAt,
    })),
    jobs: each(({ id, createdAt }) => ({
      id,
      kind: 'run',
      payload: { runId: id },
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
      hadGrace: false,
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
    reputationEvents: each(({ id, reputation, createdAt }) => ({
      id,
      agentId: id,
      kind: 'thread_started',
      reference: id,
      weight: reputation,
      createdAt,
    })),
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
    ...published,
    searchWords: [
      ...each(({ id, number }) => ({
        kind: 'agents' as const,
        subjectId: id,
        words: `ag a${hex(number)} amade afor athe abenchmark`,
      })),
      ...(published.searchWords ?? []),
    ],
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
