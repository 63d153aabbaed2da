/** How a worker runs activations: concurrency, turns, unknown types, and shutdown. */
import { afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { ActorAddress } from '#actors/actor-type.ts';
import { type ActorWorker, startActorWorker } from '#actors/actor-worker.ts';
import { batchMax } from '#actors/limits.ts';
import { createWakes } from '#actors/wakes.ts';
import { wakeQueue } from '#domain/jobs/job-kinds.ts';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { startJobWorker } from '#runtime/jobs/job-worker.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { createRecordingLogger } from '#test/harness/recording-logger.ts';
import { useScratchStore } from '#test/harness/stores.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { useConnections } from './connections.ts';
import { type CounterCommand, firstEpoch, stepOf, useCounters } from './counter-actor.ts';
import { wire } from './messages.ts';

const { logger, lines } = createRecordingLogger();

const store = useScratchStore('sqlite');
const { type, create, read: rowOf } = useCounters(store);
const connections = useConnections();
const { redis, mailboxes } = connections;
let wakes: ReturnType<typeof createWakes>;
let worker: ActorWorker | null;

beforeAll(async () => {
  wakes = createWakes(redis, logger);
});
beforeEach(() => {
  worker = null;
  lines.length = 0;
});
afterEach(async () => {
  await worker?.drain();
  await redis.flushall();
});

function start(concurrency: number): ActorWorker {
  const ctx = createTestCtx(store.db);
  const redisUrl = connections.url;
  worker = startActorWorker({ ctx, types: [type], concurrency, redisUrl, redis, logger });
  return worker;
}

/** Appends messages to a mailbox and wakes its actor. */
async function post(address: ActorAddress, count: number, act?: CounterCommand['act']): Promise<void> {
  const messages = Array.from({ length: count }, () => {
    const id = Bun.randomUUIDv7();
    return wire(id, { command: stepOf(id, act) });
  });
  await mailboxes.append(address, messages);
  await wakes.wake(address);
}
const left = (address: ActorAddress) => redis.xlen(redisNames.mailbox(address));

test('one activation handles all batches of its actor when no other actor waits', async () => {
  const id = await create();
  await post(`counter/${id}`, 3 * batchMax);
  start(2);
  await waitUntil(async () => (await rowOf(id)).value === 3 * batchMax);
  expect(await rowOf(id)).toMatchObject({ epoch: firstEpoch + 1 });
});

test('no more actors are active than the concurrency allows', async () => {
  const ids = [await create(), await create(), await create()];
  for (const id of ids) await post(`counter/${id}`, 5, 'sleep');
  const before = { ...type.seen };
  start(1);
  for (const id of ids) await waitUntil(async () => (await rowOf(id)).value === 5);
  // Concurrent actors would share a transaction.
  expect([type.seen.batches - before.batches, type.seen.transactions - before.transactions]).toEqual([3, 3]);
});

test('a draining worker commits its current batch, and leaves the rest to the next worker with a wake', async () => {
  const id = await create();
  const before = type.seen.transactions;
  expect(await wakes.areWaiting()).toBe(false);
  await post(`counter/${id}`, 3 * batchMax, 'sleep');
  const ending = start(1);
  await waitUntil(async () => type.seen.transactions > before);
  await ending.drain();
  expect([await left(`counter/${id}`), (await rowOf(id)).value]).toEqual([2 * batchMax, batchMax]);
  expect(await wakes.areWaiting()).toBe(true);
});

test('messages to an unknown type of actor are left to a worker that knows it', async () => {
  const id = await create();
  const [strange, known]: ActorAddress[] = [`newer/${id}`, `counter/${id}`];
  await post(strange!, 1);
  await post(known!, 1);
  start(1);
  await waitUntil(async () => (await rowOf(id)).value === 1);
  expect(await left(strange!)).toBe(1);
  // Nothing is logged: a later version may have sent them.
  expect(lines).toEqual([]);
});

test('an actor whose turn is over yields to a waiting one, and continues afterwards', async () => {
  const [busy, other] = [await create(), await create()];
  await post(`counter/${busy}`, 3 * batchMax, 'sleep');
  await post(`counter/${other}`, 1);
  start(1);
  await waitUntil(async () => (await rowOf(other)).value === 1);
  expect(await left(`counter/${busy}`)).toBeGreaterThanOrEqual(batchMax);
  await waitUntil(async () => (await rowOf(busy)).value === 3 * batchMax);
});

test('a failed activation is logged, and the worker continues', async () => {
  const [broken, fine] = [await create(), await create()];
  await redis.set(redisNames.mailbox(`counter/${broken}`), 'no mailbox');
  await wakes.wake(`counter/${broken}`);
  await post(`counter/${fine}`, 1);
  start(1);
  await waitUntil(async () => (await rowOf(fine)).value === 1);
  expect(lines.map(({ msg, address }) => [msg, address])).toEqual([
    ['activation failed; the sweep will wake the actor again', `counter/${broken}`],
  ]);
});

test('an actor that has handled all its messages is not woken again, and its wake leaves nothing in the queue', async () => {
  const id = await create();
  await post(`counter/${id}`, 1);
  const ending = start(1);
  await waitUntil(async () => (await left(`counter/${id}`)) === 0);
  // Enough time for several wakes, if one caused the next.
  await Bun.sleep(200);
  expect(await redis.get('hub:queue:{actor-wakes}:actor-wakes:id')).toBe('1');
  await ending.drain();
  const ended = await openQueue(redis, wakeQueue, logger).getJobCounts('completed', 'failed', 'active');
  expect(ended).toEqual({ completed: 0, failed: 0, active: 0 });
});

test('a failed wake leaves nothing in its queue, and does not block the next one', async () => {
  let tries = 0;
  const failing = startJobWorker({
    queue: 'actor-wakes',
    concurrency: 1,
    redisUrl: connections.url,
    logger,
    handle: async () => {
      tries += 1;
      throw new Error('broken');
    },
  });
  await wakes.wake('counter/one');
  await waitUntil(async () => tries === 1);
  const queue = openQueue(redis, wakeQueue, logger);
  await waitUntil(async () => (await queue.getActiveCount()) === 0);
  expect(await queue.getFailedCount()).toBe(0);
  await wakes.wake('counter/one');
  await waitUntil(async () => tries === 2);
  await failing.drain();
});
