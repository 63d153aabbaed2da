import { describe, expect, test } from 'bun:test';
import { Redis } from 'ioredis';
import {
  connectProducer,
  connectSubscriber,
  connectWorker,
  isReadyWithin,
  keepSubscribed,
} from '#runtime/redis/redis.ts';
import { failureOf } from '#test/harness/failure-of.ts';
import { createRecordingLogger } from '#test/harness/recording-logger.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { createTcpGate } from '#test/harness/tcp-gate.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const nowhere = '/nowhere/redis.sock';

describe('a producer', () => {
  test('fails at once while Redis is down', async () => {
    const redis = connectProducer(nowhere, logger);
    expect(await isReadyWithin(redis, 50)).toBe(false);
    // Otherwise it would wait for Redis to return.
    await expect(redis.ping()).rejects.toThrow();
    redis.disconnect();
  });

  test('fails a command that was in flight when Redis went down, instead of queueing it', async () => {
    const server = await startTestRedis();
    const redis = connectProducer(server.url, logger);
    await isReadyWithin(redis, 20_000);
    const failure = failureOf(redis.blpop('nothing', 0));
    await server.stop();
    expect(await failure).toBeInstanceOf(Error);
    redis.disconnect();
  });
});

test('a worker keeps its command until Redis is up', async () => {
  const server = await startTestRedis();
  const redis = connectWorker(server.url, logger);
  expect(await redis.ping()).toBe('PONG');
  redis.disconnect();
  await server.stop();
});

describe('clients leave a master that has become a replica', () => {
  /** A master behind a gate; `demote` makes it a replica, and lets new connections lead to another master. */
  async function startMaster() {
    const [former, master] = await Promise.all([startTestRedis(), startTestRedis()]);
    const gate = await createTcpGate({ path: former.url });
    const [admin, other] = [new Redis(former.url), new Redis(master.url)];
    return {
      url: `redis://127.0.0.1:${gate.port}`,
      admin,
      other,
      async demote() {
        gate.retarget({ path: master.url });
        await admin.replicaof('127.0.0.1', 1);
      },
      async [Symbol.asyncDispose]() {
        for (const redis of [admin, other]) redis.disconnect();
        gate.shut();
        await Promise.all([former.stop(), master.stop()]);
      },
    };
  }

  test('when it refuses a write', async () => {
    await using it = await startMaster();
    const [worker, producer] = [connectWorker(it.url, logger), connectProducer(it.url, logger)];
    for (const redis of [worker, producer]) expect(await isReadyWithin(redis, 20_000)).toBe(true);
    await it.demote();
    expect(await worker.set('key', 'value')).toBe('OK');
    await waitUntil(async () => (await producer.set('key', 'value').catch(() => null)) === 'OK');
    for (const redis of [worker, producer]) redis.disconnect();
  });

  test('within seconds, if they only subscribe', async () => {
    await using it = await startMaster();
    const subscriber = connectSubscriber(it.url, logger);
    const heard = new Promise((resolve) => subscriber.once('message', (_, text) => resolve(text)));
    keepSubscribed(subscriber, 'news');
    await waitUntil(async () => (await it.admin.pubsub('NUMSUB', 'news'))[1] === 1);
    await it.demote();
    await waitUntil(async () => (await it.other.publish('news', 'of the new master')) > 0, 4_000);
    expect(await heard).toBe('of the new master');
    subscriber.disconnect();
  });
});

test('one line is logged when Redis goes down and one when it is back, however many reconnects fail', async () => {
  const { lines, logger: log } = createRecordingLogger();
  const redis = connectProducer(nowhere, log);
  await waitUntil(() => lines.length > 0);
  await Bun.sleep(500);
  redis.disconnect();
  expect(lines.length).toBe(1);
});
