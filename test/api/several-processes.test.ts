/** Two API processes behave as one: they share limits, keys, tokens and streams. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#runtime/clock.ts';
import type { Ctx } from '#domain/context.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { type ApiProcess, startApiProcess } from '#test/harness/api-process.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { startTestRedis, type TestRedis } from '#test/harness/redis.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/harness/worker-process.ts';

const operatorKey = 'the-key-of-the-operator';
const readsPerMinute = 40;
const wrongKeysPerMinute = 6;
const settings = {
  OPERATOR_KEY: operatorKey,
  CONTACT_TO: 'team@hub.test',
  TRUSTED_PROXIES: '127.0.0.0/8',
  EVAL_ALLOWED_TARGETS: 'loopback',
  READS_PER_MINUTE: String(readsPerMinute),
  // Wrong keys use the registration limit.
  REGISTRATIONS_PER_MINUTE: String(wrongKeysPerMinute),
};

forEachStore((store) => {
  let redis: TestRedis;
  let ctx: Ctx;
  let dataDir: string;
  let worker: WorkerProcess;
  let apis: readonly ApiProcess[] = [];

  beforeAll(async () => {
    redis = await startTestRedis();
    dataDir = await mkdtemp(join(tmpdir(), 'hub-apis-'));
    ctx = { ...createTestCtx(store.db), clock: systemClock };
    const stores = { database: store.setting, redisUrl: redis.url };
    const environment = { ...settings, DATA_DIR: dataDir };
    [worker, ...apis] = await Promise.all([
      startWorkerProcess(['mail', 'seats'], stores, environment),
      startApiProcess(stores, environment),
      startApiProcess(stores, environment),
    ]);
  });
  afterAll(async () => {
    expect(await Promise.all(apis.map((api) => api.end('SIGTERM')))).toEqual([0, 0]);
    await worker.end('SIGTERM');
    await redis.stop();
    await rm(dataDir, { recursive: true });
  });

  interface Call {
    readonly token?: string;
    readonly json?: unknown;
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
  }

  /** Calls one of the two processes. */
  function call(which: number, path: string, { token, json, method, headers }: Call = {}): Promise<Response> {
    return fetch(`${apis[which % 2]?.url}${path}`, {
      method: method ?? (json === undefined ? 'GET' : 'POST'),
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      headers: {
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
    });
  }

  /** Calls both processes in turn, concurrently. */
  async function callInTurns(times: number, path: string, request: Call): Promise<readonly number[]> {
    const responses = Array.from({ length: times }, async (_, which) => {
      const { status } = await call(which, path, request);
      return status;
    });
    return (await Promise.all(responses)).toSorted((one, other) => one - other);
  }

  /** Expands pairs of a count and a value. */
  const times = (...pairs: readonly (readonly [number, number])[]): number[] =>
    pairs.flatMap(([count, status]) => Array.from({ length: count }, () => status));

  test('a token has one rate limit', async () => {
    const agent = await createTestAgent(ctx);
    const statuses = await callInTurns(50, '/v1/agents/me', { token: agent.bearerToken });
    expect(statuses).toEqual(times([readsPerMinute, 200], [10, 429]));
  });

  test('a network has one limit of wrong keys, after which the right key works at neither process', async () => {
    const request = { token: 'a-key-that-is-not-right', headers: { 'x-forwarded-for': '203.0.113.7' } };
    const statuses: number[] = [];
    for (let which = 0; which < 8; which += 1) statuses.push((await call(which, '/livez', request)).status);
    expect(statuses).toEqual(times([wrongKeysPerMinute, 401], [2, 429]));
    for (const which of [0, 1]) {
      expect((await call(which, '/livez', { ...request, token: operatorKey })).status).toBe(429);
      expect((await call(which, '/livez', { token: operatorKey })).status).toBe(200);
    }
  });

  test('an idempotency key is used once, and each process replays the responses of the other', async () => {
    const agent = await createTestAgent(ctx, { tokens: 9, freeEvalTaken: true });
    const request = {
      token: agent.bearerToken,
      json: { product: 'eval-run', target_url: 'http://127.0.0.1:9/' },
      headers: { 'idempotency-key': 'only-once' },
    };
    const raced = await callInTurns(8, '/v1/redemptions', request);
    expect(raced.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    const ids = new Set<string>();
    for (const which of [0, 1]) {
      const replay = await call(which, '/v1/redemptions', request);
      expect(replay.headers.get('idempotent-replayed')).toBe('true');
      ids.add(((await replay.json()) as { redemption: { id: string } }).redemption.id);
    }
    expect(ids.size).toBe(1);
    const balance = await call(0, '/v1/tokens/balance', { token: agent.bearerToken });
    expect(await balance.json()).toMatchObject({ balance: 8 });
  });

  test('a seat requested at both with one key is one seat, charged once', async () => {
    const agent = await createTestAgent(ctx, { tokens: 9 });
    const event = await createTestEvent(ctx, { tokenPrice: 2 });
    const request = { token: agent.bearerToken, json: { idempotency_key: 'only-one-seat' } };
    const responses = await Promise.all(
      Array.from({ length: 6 }, async (_, which) => {
        const response = await call(which, `/v1/events/${event.id}/reserve`, request);
        return ((await response.json()) as { seat: { id: string } }).seat.id;
      }),
    );
    expect(new Set(responses).size).toBe(1);
    const balance = await call(1, '/v1/tokens/balance', { token: agent.bearerToken });
    expect(await balance.json()).toMatchObject({ balance: 7 });
  });

  test('a challenge issued by one is verified at the other, and one of two racing sign-ups under a handle succeeds', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const handle = `twice-${Bun.randomUUIDv7().slice(-12)}`;
    const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
    const begin = (which: number) =>
      call(which, '/v1/agents/register', {
        json: { handle, agent_type: 'other', public_key: key },
        headers: { 'x-forwarded-for': '203.0.113.8' },
      });
    const responses = await Promise.all([begin(0), begin(1)]);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const first = responses.findIndex(({ status }) => status === 200);
    const { challenge } = (await responses[first]!.json()) as { challenge: string };
    const signature = sign(null, Buffer.from(challenge), privateKey).toString('base64');
    const verified = await call(first + 1, '/v1/agents/verify', { json: { handle, signature } });
    const { token } = (await verified.json()) as { token: string };
    expect((await call(first, '/v1/agents/me', { token })).status).toBe(200);
  });

  test('a token revoked at one stops working at the other, where its open streams end', async () => {
    const leaky = await createTestAgent(ctx, { tokens: 1, freeEvalTaken: true });
    const { evalRun } = await redeem(ctx, leaky.id, 'http://127.0.0.1:9/');
    const stream = await call(1, `/v1/runs/${evalRun.id}/events`, { token: leaky.bearerToken });
    expect(stream.status).toBe(200);
    const path = `/v1/agents/me/tokens/${leaky.tokenId}`;
    expect((await call(0, path, { method: 'DELETE', token: leaky.bearerToken })).status).toBe(200);
    for (const which of [1, 0]) {
      expect((await call(which, '/v1/agents/me', { token: leaky.bearerToken })).status).toBe(401);
    }
    expect(await stream.text()).toEndWith(': the token was revoked\n\n');
  });

  test('an agent may have 20 open streams at both together', async () => {
    const agent = await createTestAgent(ctx, { tokens: 1, freeEvalTaken: true });
    const { evalRun } = await redeem(ctx, agent.id, 'http://127.0.0.1:9/');
    const follow = (which: number) =>
      call(which, `/v1/runs/${evalRun.id}/events`, { token: agent.bearerToken });
    const streams = await Promise.all(Array.from({ length: 20 }, (_, which) => follow(which)));
    expect(streams.map(({ status }) => status)).toEqual(times([20, 200]));
    for (const which of [0, 1]) expect((await follow(which)).status).toBe(429);
    // A stream closed at one process makes room at the other, as soon as the hub notices.
    await streams[0]?.body?.cancel();
    await waitUntil(async () => {
      const next = await follow(1);
      await next.body?.cancel();
      return next.status === 200;
    });
    for (const stream of streams.slice(1)) await stream.body?.cancel();
  });

  test('five proposals of an agent and five messages of a network are accepted at both together', async () => {
    const agent = await createTestAgent(ctx);
    const proposal = { token: agent.bearerToken, json: { title: 'Do it', description: 'Why not' } };
    expect(await callInTurns(10, '/v1/work-orders', proposal)).toEqual(times([5, 201], [5, 429]));
    const message = {
      json: { contact: 'grace@example.org', message: 'Hello' },
      headers: { 'x-forwarded-for': '203.0.113.9' },
    };
    expect(await callInTurns(8, '/v1/contact', message)).toEqual(times([5, 200], [3, 429]));
  });
});
