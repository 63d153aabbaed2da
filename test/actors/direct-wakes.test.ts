/** Wakes that skip the queue: which process receives them, and when wakes still use the queue. */
import { afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { Queue } from 'bullmq';
import { type ActorWorker, startActorWorker } from '#actors/actor-worker.ts';
import { wakeQueue } from '#domain/jobs/job-kinds.ts';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { connectSubscriber } from '#runtime/redis/redis.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { useScratchStore } from '#test/harness/stores.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { useActorClient } from './connections.ts';
import { firstEpoch, useCounters } from './counter-actor.ts';

const timeoutMs = 20_000;

const store = useScratchStore('sqlite');
const { type, create, read } = useCounters(store);
const connections = useActorClient();
const { redis, client } = connections;
let queue: Queue;
let id: string;
const workers = new Set<ActorWorker>();

beforeAll(() => {
  queue = openQueue(redis, wakeQueue, logger);
});
beforeEach(async () => {
  id = await create();
});
afterEach(async () => {
  await Promise.all([...workers].map((worker) => worker.drain()));
  workers.clear();
  await redis.flushall();
});

const channels = async (): Promise<string[]> =>
  (await redis.pubsub('CHANNELS', `${redisNames.wakes}*`)) as string[]; // A list of names.

async function start(concurrency = 10): Promise<ActorWorker> {
  const before = (await channels()).length;
  const ctx = createTestCtx(store.db);
  const redisUrl = connections.url;
  const worker = startActorWorker({ ctx, types: [type], concurrency, redisUrl, redis, logger });
  workers.add(worker);
  await waitUntil(async () => (await channels()).length > before);
  return worker;
}

const ask = (name: string, actor = id, act: 'count' | 'sleep' = 'count') =>
  client.ask(type, actor, { step: `${actor} ${name}`, act }, { timeoutMs });
/** The number of wakes in the queue so far. */
const queued = async (): Promise<number> =>
  Number(await redis.get(`${redisNames.queuePrefix(wakeQueue)}:${wakeQueue}:id`));

test('a command wakes a process directly, which claims and reads the actor only once', async () => {
  await start();
  for (let step = 1; step <= 20; step += 1) expect(await ask(`${step}`)).toEqual({ value: step });
  expect(await queued()).toBe(0);
  expect(await read(id)).toMatchObject({ epoch: firstEpoch + 1, value: 20 });
});

test('a stopped worker is not woken: the next command goes to another one', async () => {
  const first = await start();
  await ask('a');
  await start();
  await first.drain();
  expect(await ask('b')).toEqual({ value: 2 });
  expect(await read(id)).toMatchObject({ epoch: firstEpoch + 2 });
  const before = await queued();
  expect(await ask('c')).toEqual({ value: 3 });
  expect(await queued()).toBe(before);
});

test('two workers share the actors, and each keeps its own', async () => {
  await start(50);
  const ids = await Promise.all(Array.from({ length: 40 }, () => create()));
  const askAll = async (value: number): Promise<readonly number[]> => {
    const replies = await Promise.all(ids.map((actor) => ask(`${value}`, actor)));
    expect(replies).toEqual(ids.map(() => ({ value })));
    const epochs = await Promise.all(ids.map(async (actor) => (await read(actor)).epoch));
    return epochs.map((epoch) => epoch - firstEpoch);
  };
  expect(new Set(await askAll(1))).toEqual(new Set([1]));
  await start(50);
  const shared = await askAll(2);
  expect(shared.filter((claims) => claims === 2).length).toBeGreaterThan(5);
  expect(shared.filter((claims) => claims === 1).length).toBeGreaterThan(5);
  expect(await askAll(3)).toEqual(shared);
});

test('while the queue is paused, no actor is activated', async () => {
  await start();
  await ask('a');
  await queue.pause();
  const before = type.seen.transactions;
  const [reader] = await channels();
  // Workers check about once a second whether the queue is paused.
  await waitUntil(async () => {
    await redis.publish(reader ?? '', `counter/${id}`);
    return (await queue.getWaitingCount()) === 1;
  });
  const asked = ask('b');
  await waitUntil(async () => (await redis.exists(redisNames.mailbox(`counter/${id}`))) === 1);
  expect(type.seen.transactions).toBe(before);
  await queue.resume();
  expect(await asked).toEqual({ value: 2 });
});

test('at its concurrency limit, a worker passes direct wakes to the queue', async () => {
  await start(1);
  const busy = await create();
  await Promise.all([ask('a'), ask('a', busy)]);
  const before = await queued();
  const slow = Array.from({ length: 100 }, (_, index) => ask(`slow ${index}`, busy, 'sleep'));
  await waitUntil(async () => (await redis.exists(redisNames.mailbox(`counter/${busy}`))) === 1);
  expect(await ask('b')).toEqual({ value: 2 });
  expect(await queued()).toBeGreaterThan(before);
  await Promise.all(slow);
});

test('commands that arrive while their actor is active are all handled', async () => {
  await start();
  let asked = 0;
  const lanes = Array.from({ length: 5 }, async () => {
    while (asked < 300) await ask(`${(asked += 1)}`);
  });
  await Promise.all(lanes);
  expect(await ask('last')).toEqual({ value: asked + 1 });
});

test('the sweep replaces a lost direct wake', async () => {
  await start();
  const [deaf, silent] = [connectSubscriber(connections.url, logger), `${redisNames.wakes}0`];
  await deaf.subscribe(silent);
  await redis.zadd(redisNames.wakeListeners(), Date.now() + 60_000, silent);
  // Half of the actors are woken at the channel that does not react.
  for (let tries = 0; tries < 30 && (await queued()) === 0; tries += 1)
    expect(await ask('b', await create())).toEqual({ value: 1 });
  expect(await queued()).toBe(1);
  deaf.disconnect();
});
