/**
 * A Redis behind Sentinels fails over to a replica that lacks the latest jobs: clients follow, and the sweeper announces
 * every open job again within five seconds.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { systemClock } from '#runtime/clock.ts';
import { createJobPublisher, type RedisPublisher } from '#runtime/jobs/job-publisher.ts';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import { checkRedis } from '#runtime/redis/check-redis.ts';
import {
  connectProducer,
  connectSubscriber,
  connectWorker,
  isReadyWithin,
  keepSubscribed,
  type Redis,
} from '#runtime/redis/redis.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { type RedisWithSentinels, startRedisSentinels } from '#test/harness/redis-sentinels.ts';
import { cutOff, untilPromoted } from '#test/harness/replicated-redis.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/harness/worker-process.ts';

const announcedWithinMs = 5_000;
const jobCount = 5;
let store: ScratchStore;
let sentinels: RedisWithSentinels;
let sweeper: WorkerProcess;
let producer: Redis;
let publisher: RedisPublisher;

beforeAll(async () => {
  [store, sentinels] = await Promise.all([openScratchStore('sqlite'), startRedisSentinels()]);
  sweeper = await startWorkerProcess(['sweeper'], { database: store.setting, redisUrl: sentinels.url });
  producer = connectProducer(sentinels.url, logger);
  publisher = createJobPublisher(producer, logger);
  expect(await isReadyWithin(producer, 20_000)).toBe(true);
});
afterAll(async () => {
  await publisher?.close();
  producer?.disconnect();
  await sweeper?.end('SIGKILL');
  await Promise.all([sentinels?.stop(), store?.remove()]);
});

test('a replica without the latest jobs is promoted: all open jobs are announced to it within five seconds', async () => {
  const ctx = { ...createTestCtx(store.db), clock: systemClock, publisher };
  const subscriber = connectSubscriber(sentinels.url, logger);
  const heard: string[] = [];
  subscriber.on('message', (_: string, text: string) => heard.push(text));
  keepSubscribed(subscriber, 'hub:news');
  await checkRedis(sentinels.url);
  const queue = openQueue(producer, 'eval-runs', logger);
  const countKnown = (): Promise<number> => queue.getWaitingCount().catch(() => -1);
  // The sweeper knows this Redis.
  await waitUntil(async () => (await producer.exists('hub:incarnation').catch(() => 0)) === 1);

  const [master] = await sentinels.masters();
  const replica = await sentinels.replicaOf(master!);
  const reconnect = await cutOff(replica, master!);
  for (let job = 0; job < jobCount; job += 1)
    await redeem(ctx, (await createTestAgent(ctx)).id, 'http://127.0.0.1:9/');
  await waitUntil(async () => (await countKnown()) === jobCount);
  expect(await replica.admin.exists('hub:queue:{eval-runs}:eval-runs:wait')).toBe(0);
  await master!.kill();
  await untilPromoted(replica);
  // With one replica, the new master accepts writes once the old one is back as its replica.
  await reconnect();
  await master!.restart();
  await sentinels.demote(master!, replica);
  await sentinels.settle();
  const servesAt = performance.now();
  await waitUntil(async () => (await countKnown()) === jobCount);
  expect(performance.now() - servesAt).toBeLessThan(announcedWithinMs);
  // A producer that is still reconnecting rejects at once.
  const announce = () => producer.publish('hub:news', 'a new master').catch(() => 0);
  await waitUntil(async () => (await announce(), heard.length > 0));
  subscriber.disconnect();
});

test('a client follows a failover that is announced while it asks for the master, even if one Sentinel is frozen', async () => {
  const [, , last] = sentinels.sentinels;
  const client = connectWorker(askingLastFirst(sentinels.url), logger);
  expect(await isReadyWithin(client, 20_000)).toBe(true);
  const [master] = await sentinels.masters();
  const replica = await sentinels.replicaOf(master!);
  last!.signal('SIGSTOP');
  try {
    const isConnecting = new Promise((resolve) => client.once('connecting', resolve));
    await master!.admin.call('CLIENT', 'KILL', 'TYPE', 'NORMAL', 'SKIPME', 'YES');
    await isConnecting;
    await sentinels.switchOver(replica);
    await untilPromoted(replica);
    await waitUntil(async () => client.status === 'ready');
    expect(await client.ping()).toBe('PONG');
  } finally {
    last!.signal('SIGCONT');
    client.disconnect();
  }
});

function askingLastFirst(url: string): string {
  return url.replace(/@([^/]+)\//, (_, hosts: string) => `@${hosts.split(',').toReversed().join()}/`);
}
