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

test('clients leave a master that has become a replica', async () => {
  const [former, master] = await Promise.all([startTestRedis(), startTestRedis()]);
  const gate = await createTcpGate({ path: former.url });
  const url = `redis://127.0.0.1:${gate.port}`;
  const [worker, producer] = [connectWorker(url, logger), connectProducer(url, logger)];
  for (const redis of [worker, producer]) expect(await isReadyWithin(redis, 20_000)).toBe(true);
  gate.retarget({ path: master.url });
  const admin = new Redis(former.url);
  await admin.replicaof('127.0.0.1', 1);
  expect(await worker.set('key', 'value')).toBe('OK');
  await waitUntil(async () => (await producer.set('key', 'value').catch(() => null)) === 'OK');
  for (const redis of [worker, producer, admin]) redis.disconnect();
  gate.shut();
  await Promise.all([former.stop(), master.stop()]);
});

test('a subscriber, which never writes, leaves a master that has become a replica within seconds', async () => {
  const [former, master] = await Promise.all([startTestRedis(), startTestRedis()]);
  const gate = await createTcpGate({ path: former.url });
  const subscriber = connectSubscriber(`redis://127.0.0.1:${gate.port}`, logger);
  const heard = new Promise((resolve) => subscriber.once('message', (_, text) => resolve(text)));
  keepSubscribed(subscriber, 'news');
  const [admin, publisher] = [new Redis(former.url), new Redis(master.url)];
  await waitUntil(async () => (await admin.pubsub('NUMSUB', 'news'))[1] === 1);
  gate.retarget({ path: master.url });
  await admin.replicaof('127.0.0.1', 1);
  await waitUntil(async () => (await publisher.publish('news', 'of the new master')) > 0, 4_000);
  expect(await heard).toBe('of the new master');
  for (const redis of [subscriber, admin, publisher]) redis.disconnect();
  gate.shut();
  await Promise.all([former.stop(), master.stop()]);
});

test('one line is logged when Redis goes down and one when it is back, however many reconnects fail', async () => {
  const { lines, logger: log } = createRecordingLogger();
  const redis = connectProducer(nowhere, log);
  await waitUntil(() => lines.length > 0);
  await Bun.sleep(500);
  redis.disconnect();
  expect(lines.length).toBe(1);
});
