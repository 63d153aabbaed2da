/** Places are counted over all processes, and Redis may lose the counts at any time. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createLogger } from '#runtime/tracing/log.ts';
import { connectProducer, isReadyWithin, type Redis } from '#runtime/redis/redis.ts';
import { createSharedSlots, type SharedSlots } from '#runtime/redis/shared-slots.ts';
import { startTestRedis, type TestRedis } from '#test/harness/redis.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
const max = 3;

let server: TestRedis;
const opened: { redis: Redis; places: SharedSlots }[] = [];
beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(async () => {
  for (const { redis, places } of opened) {
    places.close();
    redis.disconnect();
  }
  await server.stop();
});

/** Simulates another process: a separate connection. */
async function open(url = server.url) {
  const redis = connectProducer(url, logger);
  if (url === server.url) await isReadyWithin(redis, 20_000);
  const places = createSharedSlots({
    redis,
    logger,
    prefix: 'test:places:',
    max,
    ttlMs: 60_000,
    renewalMs: 50,
  });
  opened.push({ redis, places });
  return { redis, places };
}

test('the limit applies over all holders, and releasing a place twice frees one', async () => {
  const [one, two] = [await open(), await open()];
  const first = await one.places.take('a');
  const held = [await two.places.take('a'), await one.places.take('a')];
  expect([await one.places.take('a'), await two.places.take('a')]).toEqual([null, null]);
  expect(await two.places.take('b')).not.toBeNull();
  first?.();
  first?.();
  await waitUntil(async () => (held[2] ??= await two.places.take('a')) !== null);
  expect(await one.places.take('a')).toBeNull();
  for (const leave of held) leave?.();
});

test('held places are counted again after Redis was flushed', async () => {
  const [one, two] = [await open(), await open()];
  for (let taken = 0; taken < max; taken += 1) expect(await one.places.take('c')).not.toBeNull();
  await one.redis.flushall();
  await waitUntil(async () => (await two.redis.zcard('test:places:c')) === max);
  expect(await two.places.take('c')).toBeNull();
});

test('without Redis each process counts its own places', async () => {
  const { places } = await open('redis://127.0.0.1:1');
  const taken = await Promise.all(Array.from({ length: max + 2 }, () => places.take('d')));
  expect(taken.filter((leave) => leave !== null)).toHaveLength(max);
});
