/**
 * What the log of a hub and its workers contains at level trace, after a tour of everything the hub does.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createJobPublisher } from '#runtime/jobs/job-publisher.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { connectProducer, isReadyWithin, type Redis } from '#runtime/redis/redis.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { systemTestClock } from '#test/harness/clock.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { startTestRedis, type TestRedis } from '#test/harness/redis.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { startTarget } from '#test/harness/target.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { Visitor } from '#test/harness/visitor.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import type { RunningPool } from '#workers/pool.ts';
import { poolNames, pools } from '#workers/pool-registry.ts';

const operatorKey = 'the-operators-own-key';

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

test('no token, key, signature, body or address is in any log of a full tour at level trace', async () => {
  const visitor = new Visitor();
  const keep = visitor.keep.bind(visitor);
  visitor.url = hub.url;
  const event = await createTestEvent(hub.ctx, { tokenPrice: 0 });
  const { agent, requestId } = await visitor.tour(event.id);

  const contact = keep('sender', 'sender@private.example');
  const message = keep('message', 'Please do not tell anybody that I wrote.');
  expect((await visitor.send('/v1/contact', { contact, message })).status).toBe(200);

  const reply = keep('reply of a target', 'An answer that is the business of its agent.');
  await using target = startTarget(() => reply);
  const url = `${target.url}?${keep('query of a target', 'access=granted-to-the-hub')}`;
  const redeemed = await visitor.post('/v1/redemptions', { product: 'eval-run', target_url: url }, agent);
  const jobId: string = redeemed.body.eval_job.id;
  const job = `/v1/eval-jobs/${jobId}`;
  await waitUntil(async () => {
    const { eval_job: shown } = (await visitor.send(job, undefined, agent)).body;
    return shown.status === 'completed' || shown.status === 'failed';
  });
  const { bearerToken } = await createTestAgent(hub.ctx);
  const stranger = { authorization: `Bearer ${keep('token of a stranger', bearerToken)}` };
  expect((await visitor.send(job, undefined, stranger)).status).toBe(404);

  const guess = { authorization: `Bearer ${keep('guessed key', 'a-guess-at-the-operators-key')}` };
  expect((await visitor.send('/readyz', undefined, guess)).status).toBe(401);
  const operator = { authorization: `Bearer ${keep('operator key', operatorKey)}` };
  for (const path of ['/metrics', '/admin/queues/api/queues'])
    expect((await visitor.send(path, undefined, operator)).status).toBe(200);

  const log = lines.join('');
  for (const [name, secret] of Object.entries(visitor.secrets)) {
    expect([name, secret.length > 8, log.includes(secret)]).toEqual([name, true, false]);
  }
  // The log is still useful: requests and runs can be found in it.
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const published = { route: '/v1/threads', status: 201 };
  expect(entries.find(({ request_id: id }) => id === requestId)).toMatchObject(published);
  expect(entries.some(({ runId, pool }) => runId === jobId && pool === 'eval-runner')).toBe(true);
});
