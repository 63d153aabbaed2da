/** A queue worker waits for its handlers, and for nothing else. */
import { expect, test } from 'bun:test';
import { createJobPublisher } from '#runtime/jobs/job-publisher.ts';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import { type Requeue, type DeliveredJob, Snooze, startJobWorker } from '#runtime/jobs/job-worker.ts';
import { connectProducer, isReadyWithin } from '#runtime/redis/redis.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { startTransport } from '#test/harness/transport.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { createTcpGate } from '#test/harness/tcp-gate.ts';

const sampled = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

async function scene(handle: (job: DeliveredJob) => Promise<void>, payload: object = {}) {
  const server = await startTestRedis();
  const redis = connectProducer(server.url, logger);
  await isReadyWithin(redis, 20_000);
  const publisher = createJobPublisher(redis, logger);
  const queue = 'test';
  const worker = startJobWorker({ queue, concurrency: 1, redisUrl: server.url, logger, handle });
  publisher.publish([{ id: 'one', kind: 'kind', queue, payload, runAt: new Date() }]);
  let drained: Promise<void> | undefined;
  const drain = () => (drained ??= worker.drain());
  return {
    server,
    drain,
    async [Symbol.asyncDispose]() {
      await drain();
      redis.disconnect();
      await server.stop();
    },
  };
}

test('a worker drained while Redis is down waits for its handler, but not to return the job to the queue', async () => {
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  let ended = false;
  await using it = await scene(async () => {
    begun.resolve();
    await goOn.promise;
    ended = true;
    throw new Snooze(10);
  });
  await begun.promise;
  await it.server.stop();
  await Bun.sleep(100);
  const draining = it.drain();
  await Bun.sleep(2_000);
  expect(ended).toBe(false);
  goOn.resolve();
  // BullMQ itself would wait for Redis forever.
  await draining;
  expect(ended).toBe(true);
});

test('a worker drained while Redis is up ends after its handler', async () => {
  const begun = Promise.withResolvers<void>();
  let ended = false;
  await using it = await scene(async () => {
    begun.resolve();
    await Bun.sleep(200);
    ended = true;
  });
  await begun.promise;
  await it.drain();
  expect(ended).toBe(true);
});

test('a delayed job is redelivered, also when the delay is not an integer', async () => {
  const deliveredTwice = Promise.withResolvers<void>();
  let deliveries = 0;
  await using it = await scene(async () => {
    deliveries += 1;
    if (deliveries === 1) throw new Snooze(7.3);
    deliveredTwice.resolve();
  });
  await deliveredTwice.promise;
  await it.drain();
  expect(deliveries).toBe(2);
  expect(new Snooze(7.3).delayMs).toBe(8);
});

test('a postponed job is delivered as soon as it is woken, and can be woken once', async () => {
  const deliveredTwice = Promise.withResolvers<void>();
  const snoozed = Promise.withResolvers<Requeue>();
  let deliveries = 0;
  await using it = await scene(async () => {
    deliveries += 1;
    if (deliveries === 1) throw new Snooze(600_000, { onSnooze: snoozed.resolve });
    deliveredTwice.resolve();
  });
  const requeue = await snoozed.promise;
  expect(deliveries).toBe(1);
  expect(await requeue()).toBe(true);
  await deliveredTwice.promise;
  await it.drain();
  expect(await requeue()).toBe(false);
});

const cause = { requestId: 'a-request-of-somebody', traceparent: sampled };
test.each([
  [cause, cause],
  [{ requestId: 'a line\nof my own', traceparent: 'x' }, {}],
  [{ requestId: 7, traceparent: sampled }, { traceparent: sampled }],
  ['a text', {}],
  [null, {}],
])(
  'the state that a job resumes from is read from the valid part of its payload: %p',
  async (given, read) => {
    const delivered = Promise.withResolvers<DeliveredJob>();
    await using it = await scene(async (job) => delivered.resolve(job), { cause: given });
    expect((await delivered.promise).cause).toEqual(read);
    await it.drain();
  },
);

test('a queue that was opened while Redis did not respond accepts jobs once Redis responds', async () => {
  const server = await startTestRedis();
  const gate = await createTcpGate({ path: server.url });
  const redis = connectProducer(`redis://127.0.0.1:${gate.port}`, logger);
  expect(await isReadyWithin(redis, 20_000)).toBe(true);
  const publisher = createJobPublisher(redis, logger);
  const job = { id: 'one', kind: 'kind', queue: 'test', payload: {}, runAt: new Date() };
  gate.stall();
  publisher.publish([job]);
  await Bun.sleep(100);
  gate.cut();
  expect(await publisher.settled()).toBe(1);
  gate.resume();
  expect(await isReadyWithin(redis, 20_000)).toBe(true);
  publisher.publish([job]);
  await publisher.settled();
  expect(await openQueue(redis, 'test', logger).getWaitingCount()).toBe(1);
  await publisher.close();
  redis.disconnect();
  gate.shut();
  await server.stop();
});

test('a job that Redis refused is in its queue soon after Redis accepts writes again', async () => {
  const { redis, publisher, stop } = await startTransport();
  await redis.config('SET', 'min-replicas-to-write', '1');
  publisher.publish([{ id: 'one', kind: 'kind', queue: 'test', payload: {}, runAt: new Date() }]);
  expect(await publisher.settled()).toBe(1);
  await redis.config('SET', 'min-replicas-to-write', '0');
  const queue = openQueue(redis, 'test', logger);
  expect(await queue.getWaitingCount()).toBe(0);
  await waitUntil(async () => (await queue.getWaitingCount()) === 1);
  await stop();
});
