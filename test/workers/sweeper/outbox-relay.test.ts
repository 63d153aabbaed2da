/**
 * The outbox relay: all open jobs are published to a Redis that has lost its data, and a lost job is published again.
 */
import { beforeAll, beforeEach, expect, test } from 'bun:test';
import type { Queue } from 'bullmq';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { closeJobs } from '#domain/jobs/enqueue.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { createJobPublisher } from '#runtime/jobs/job-publisher.ts';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import { connectProducer, isReadyWithin, type Redis } from '#runtime/redis/redis.ts';
import { createOutboxRelay } from '#workers/sweeper/outbox-relay.ts';
import { createTestClock } from '#test/harness/clock.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { jobRowOf, redeemPaid } from '#test/harness/eval-runs.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useTransport } from '#test/harness/transport.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

forEachStore((store) => {
  const transport = useTransport();
  const clock = createTestClock();
  let redis: Redis;
  let queue: Queue;
  let ctx: Ctx;
  let relay: ReturnType<typeof createOutboxRelay>;

  beforeAll(() => {
    const { publisher } = transport;
    ({ redis } = transport);
    queue = openQueue(redis, 'eval-runs', logger);
    ctx = { ...createTestCtx(store.db, clock), publisher };
    relay = createOutboxRelay(ctx, redis, publisher, logger);
  });
  beforeEach(async () => {
    await redis.flushall();
    const ids = (await rowsOf(ctx, 'jobs')).map(({ id }) => id);
    await withTransaction(ctx, (inner) => closeJobs(inner, ids));
  });

  async function openJobs(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let made = 0; made < count; made += 1)
      ids.push((await redeemPaid(ctx, 'http://127.0.0.1:9/')).runId);
    return ids.toSorted();
  }

  /** The jobs in the queue, by eval run. */
  async function knownJobs(): Promise<string[]> {
    const waiting = await queue.getJobs(['waiting', 'delayed', 'active', 'prioritized']);
    return waiting.map((job) => (job.data as { runId: string }).runId).toSorted();
  }

  /** Waits for jobs that should not be published. */
  async function settle(): Promise<void> {
    await Bun.sleep(100);
  }

  /** Jobs are published after the commit. */
  async function expectKnown(runIds: readonly string[]): Promise<void> {
    await waitUntil(async () => (await knownJobs()).length >= runIds.length);
    expect(await knownJobs()).toEqual([...runIds]);
  }

  async function openLostJobs(count: number): Promise<string[]> {
    const open = await openJobs(count);
    await expectKnown(open);
    await redis.flushall();
    clock.advance(1);
    return open;
  }

  test('a Redis without the incarnation key receives every open job once, and gets the key', async () => {
    const open = await openLostJobs(7);
    expect(await knownJobs()).toEqual([]);
    await relay.relayAllToNewRedis();
    await expectKnown(open);
    expect(await redis.exists(redisNames.incarnation)).toBe(1);
  });

  test('two concurrent relays publish each job once', async () => {
    const open = await openLostJobs(5);
    const other = createOutboxRelay(ctx, redis, transport.publisher, logger);
    await Promise.all([relay, other].map((each) => each.relayAllToNewRedis()));
    await expectKnown(open);
  });

  test('a known Redis is left alone', async () => {
    await relay.relayAllToNewRedis();
    await expectKnown(await openJobs(2));
    await queue.obliterate({ force: true });
    clock.advance(1);
    await relay.relayAllToNewRedis();
    await settle();
    expect(await knownJobs()).toEqual([]);
  });

  test('every open job is announced to a Redis with a new replication id, because a failover may have lost some', async () => {
    await relay.relayAllToNewRedis();
    const open = await openJobs(2);
    await expectKnown(open);
    await queue.obliterate({ force: true });
    await redis.set(redisNames.incarnation, 'the id of the old master');
    clock.advance(1);
    await relay.relayAllToNewRedis();
    await expectKnown(open);
    expect(await redis.info('replication')).toContain((await redis.get(redisNames.incarnation)) ?? '');
  });

  test('a Redis that did not take every job stays new, and gets them all in the next round', async () => {
    const open = await openLostJobs(3);
    const other = connectProducer(transport.redisUrl, logger);
    await isReadyWithin(other, 20_000);
    const publisher = createJobPublisher(other, logger);
    other.disconnect();
    await createOutboxRelay({ ...ctx, publisher }, redis, publisher, logger).relayAllToNewRedis();
    expect([await knownJobs(), await redis.exists(redisNames.incarnation)]).toEqual([[], 0]);
    clock.advance(1);
    await relay.relayAllToNewRedis();
    expect([await knownJobs(), await redis.exists(redisNames.incarnation)]).toEqual([open, 1]);
  });

  test('a job that the queue has lost is published again after 15 seconds, a closed one never', async () => {
    const open = await openJobs(2);
    await expectKnown(open);
    await queue.obliterate({ force: true });
    clock.advance(14_999);
    await relay.relayOldJobs();
    await settle();
    expect(await knownJobs()).toEqual([]);
    const first = await jobRowOf(ctx, open[0]!);
    await withTransaction(ctx, (inner) => closeJobs(inner, [first.id]));
    clock.advance(2);
    await relay.relayOldJobs();
    await expectKnown([open[1]!]);
  });

  test('all open jobs are published, even more than fit in one round', async () => {
    const { jobs } = ctx.db.tables;
    const [sample] = await openJobs(1);
    const now = clock.now();
    const due = { createdAt: now, runAt: now, publishedAt: now };
    const job = { kind: 'run', payload: { runId: sample }, ...due } as const;
    const copies = Array.from({ length: 1_200 }, () => ({ id: Bun.randomUUIDv7('hex', now), ...job }));
    await ctx.db.transaction((tx) => tx.query.insert(jobs).values(copies));
    await redis.flushall();
    clock.advance(1);
    await relay.relayAllToNewRedis();
    await waitUntil(async () => (await knownJobs()).length === 1_201);
  });
});
