/**
 * What the log of a hub and its workers contains at level trace, after a tour of everything the hub does.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createJobPublisher } from '#runtime/jobs/job-publisher.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { connectProducer, isReadyWithin, type Redis } from '#runtime/redis/redis.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { newKey } from '#test/domain/agents/sign-up.ts';
import { systemTestClock } from '#test/harness/clock.ts';
import { createTestAgent, wrongToken } from '#test/harness/agents.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { startTestRedis, type TestRedis } from '#test/harness/redis.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { startTarget } from '#test/harness/target.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import type { RunningPool } from '#workers/pool.ts';
import { poolNames, pools } from '#workers/pool-registry.ts';

const operatorKey = 'the-operators-own-key';
/** As reported by a proxy. */
const clientAddress = '203.0.113.77';

let store: ScratchStore;
let redis: TestRedis;
let producer: Redis;
let hub: TestHub;
const running: RunningPool[] = [];
const lines: string[] = [];

beforeAll(async () => {
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ name: 'tour', level: 'trace', destination });
  [store, redis] = await Promise.all([openScratchStore('sqlite'), startTestRedis()]);
  producer = connectProducer(redis.url, logger);
  await isReadyWithin(producer, 5_000);
  const publisher = createJobPublisher(producer, logger);
  hub = await startTestHub({
    store,
    redisUrl: redis.url,
    publisher,
    clock: systemTestClock(),
    logger,
    settings: { operatorKey, trustedProxies: ['127.0.0.1/32'] },
  });
  const settings = parseSettings({ DATA_DIR: dataDir, CONTACT_TO: 'team@hub.test' });
  for (const name of poolNames) {
    const start = await pools[name].load();
    const deps = { ctx: hub.ctx, publisher, settings, tracing: null, redisUrl: redis.url, redis: producer };
    running.push(await start({ ...deps, logger: logger.child({ pool: name }), concurrency: 5 }));
  }
});
afterAll(async () => {
  await Promise.all(running.map((pool) => pool.drain()));
  await hub.close();
  producer.disconnect();
  await redis.stop();
  await store.remove();
});
const dataDir = useTestFolder();

const headers = { 'x-forwarded-for': clientAddress };

function send(path: string, json: unknown, token?: string, more: Record<string, string> = {}) {
  const bearer = token === undefined ? {} : { token };
  return hub.fetch(path, { json, headers: { ...headers, ...more }, ...bearer });
}

test('no token, key, signature, body or address is in any log of a full tour at level trace', async () => {
  const key = newKey();
  const secrets: Record<string, string> = { clientAddress, operatorKey, publicKey: key.publicKey };
  const keep = (name: string, value: string): string => (secrets[name] = value);

  const identity = { handle: 'tourist', agent_type: 'other', public_key: key.publicKey };
  const bio = keep('bio', 'I like long walks through state machines.');
  const { challenge } = (await send('/v1/agents/register', { ...identity, bio })).body;
  keep('challenge', challenge);
  const wrong = keep('wrong signature', newKey().sign(challenge));
  expect((await send('/v1/agents/verify', { handle: 'tourist', signature: wrong })).status).toBe(401);
  const signature = keep('signature', key.sign(challenge));
  const token = keep('token', (await send('/v1/agents/verify', { handle: 'tourist', signature })).body.token);
  const badToken = keep('bad token', wrongToken(token));
  expect((await send('/v1/threads', { title: 'x', body: 'y' }, badToken)).status).toBe(401);

  const body = keep('post', 'A paragraph that nobody but its readers is to read.');
  const idempotencyKey = keep('idempotency key', 'a-key-for-one-thread-only');
  const keyed = { 'idempotency-key': idempotencyKey };
  const thread = await send('/v1/threads', { title: 'A title', body }, token, keyed);
  expect(thread.status).toBe(201);
  const typo = keep('refused body', 'misspelt-value-of-a-field');
  expect((await send('/v1/threads', { titel: typo }, token)).status).toBe(400);
  const query = keep('query', 'words-that-somebody-looks-for');
  await hub.fetch(`/v1/threads?q=${query}`, { headers });
  await hub.fetch(`/${keep('unknown path', 'a-path-that-is-not-there')}`, { headers });

  const sender = keep('mail address', 'sender@private.example');
  const message = keep('message', 'Please do not tell anybody that I wrote.');
  expect((await send('/v1/contact', { contact: sender, message })).status).toBe(200);

  const reply = keep('reply of a target', 'An answer that is the business of its agent.');
  const target = startTarget(() => reply);
  const url = `${target.url}?${keep('part of a target’s address', 'access=granted-to-the-hub')}`;
  const redeemed = await send('/v1/redemptions', { product: 'eval-run', target_url: url }, token);
  expect(redeemed.status).toBe(200);
  const jobId: string = redeemed.body.eval_job.id;
  await waitUntil(async () => {
    const { body: shown } = await hub.fetch(`/v1/eval-jobs/${jobId}`, { token, headers });
    return shown.eval_job.status === 'completed' || shown.eval_job.status === 'failed';
  });
  await target.stop();

  const event = await createTestEvent(hub.ctx, { tokenPrice: 0 });
  const seatKey = keep('seat key', 'the-key-of-one-seat');
  const seat = await send(`/v1/events/${event.id}/reserve`, { idempotency_key: seatKey }, token);
  expect(seat.status).toBe(200);
  keep('calendar address', new URL(seat.body.ics_url).pathname.split('/').at(-1) ?? '');
  await hub.fetch(new URL(seat.body.ics_url).pathname, { headers });
  const stranger = await createTestAgent(hub.ctx);
  keep('another token', stranger.bearerToken);
  const hidden = await hub.fetch(`/v1/eval-jobs/${jobId}`, { token: stranger.bearerToken, headers });
  expect(hidden.status).toBe(404);

  const guess = keep('guessed operator key', 'a-guess-at-the-operators-key');
  expect((await hub.fetch('/readyz', { token: guess, headers })).status).toBe(401);
  expect((await hub.fetch('/metrics', { token: operatorKey, headers })).status).toBe(200);
  expect((await hub.fetch('/admin/queues/api/queues', { token: operatorKey, headers })).status).toBe(200);

  const log = lines.join('');
  for (const [name, secret] of Object.entries(secrets)) {
    expect([name, secret.length > 8, log.includes(secret)]).toEqual([name, true, false]);
  }
  // The log is still useful: requests and runs can be found in it.
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const requestId = thread.headers.get('x-request-id');
  const published = { route: '/v1/threads', status: 201 };
  expect(entries.find(({ request_id: id }) => id === requestId)).toMatchObject(published);
  expect(entries.some(({ runId, pool }) => runId === jobId && pool === 'eval-runner')).toBe(true);
});
