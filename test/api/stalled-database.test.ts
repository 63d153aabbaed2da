/** What clients see while Postgres is frozen or all of its connections are busy: an error within seconds. */
import type { SQL } from 'bun';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { OpenDatabase } from '#db/database.ts';
import { type GatedPostgres, openGatedPostgres } from '#test/harness/gated-postgres.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { startTestHub, type TestHub, type TestResponse } from '#test/harness/hub.ts';
import type { TcpGate } from '#test/harness/tcp-gate.ts';
import { connectDirectly } from '#test/harness/postgres.ts';

/** The store of this test times out after 3 seconds. The rest allows for a busy machine. */
const rejectedWithinMs = 12_000;

let postgres: GatedPostgres;
let gate: TcpGate;
let db: OpenDatabase;
let hub: TestHub;
let agent: TestAgent;
let admin: SQL;

beforeAll(async () => {
  postgres = await openGatedPostgres();

  ({ gate, db } = postgres);
  hub = await startTestHub({ store: { db } });
  agent = await createTestAgent(hub.ctx, { tokens: 3 });
  admin = connectDirectly(postgres.url);
});
afterAll(async () => {
  await hub.close();
  await admin.close();
  await postgres.remove();
});

let sent = 0;

/** Every way in which requests reach the database. */
const requests: Record<string, () => Promise<TestResponse>> = {
  'a public list': () => hub.fetch('/v1/threads'),
  'an authenticated read': () => hub.fetch('/v1/tokens/balance', { token: agent.bearerToken }),
  'a public write': () => hub.fetch('/v1/agents/login', { json: { handle: agent.handle } }),
  'an authenticated write': () =>
    hub.fetch('/v1/threads', { token: agent.bearerToken, json: { title: 'A title', body: 'A body' } }),
  'a write under a key': () =>
    hub.fetch('/v1/threads', {
      token: agent.bearerToken,
      json: { title: 'A title', body: 'A body' },
      headers: { 'idempotency-key': `key-${(sent += 1)}` },
    }),
};

interface Seen {
  readonly name: string;
  readonly status: number;
  readonly error: string | undefined;
  readonly retryAfter: string | null;
  readonly isInTime: boolean;
}

async function look(name: string, request: () => Promise<TestResponse>): Promise<Seen> {
  const startedAt = performance.now();
  const { status, body, headers } = await request();
  const isInTime = performance.now() - startedAt < rejectedWithinMs;
  return { name, status, error: body?.error, retryAfter: headers.get('retry-after'), isInTime };
}

/** One request of each kind, repeatedly, from clients that do not wait for each other. */
async function sendWaves(count: number, apartMs: number): Promise<readonly Seen[]> {
  const all: Promise<Seen>[] = [];
  for (let wave = 0; wave < count; wave += 1) {
    for (const [name, request] of Object.entries(requests)) all.push(look(name, request));
    await Bun.sleep(apartMs);
  }
  return Promise.all(all);
}

function expectAllRejected(seen: readonly Seen[]): void {
  const unlike = seen.filter(
    ({ status, error, retryAfter, isInTime }) =>
      status !== 503 || error !== 'database_unavailable' || !/^[1-9]\d*$/.test(retryAfter ?? '') || !isInTime,
  );
  expect(unlike).toEqual([]);
}

async function expectAllServed(): Promise<void> {
  for (const { name, status } of await sendWaves(3, 0)) expect([name, status < 300]).toEqual([name, true]);
}

test('while Postgres is frozen, every request gets 503 within seconds; afterwards all succeed', async () => {
  await expectAllServed();
  gate.stall();
  const seen = await sendWaves(5, 300);
  gate.resume();
  expectAllRejected(seen);
  await expectAllServed();
});

test('while every pooled connection waits for a lock, every request gets 503; afterwards all succeed', async () => {
  const release = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holding = admin.begin(async (tx) => {
    await tx`lock table agents, challenges, threads, bearer_tokens in access exclusive mode`;
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const seen = await sendWaves(5, 300);
  release.resolve();
  await holding;
  expectAllRejected(seen);
  await expectAllServed();
});
