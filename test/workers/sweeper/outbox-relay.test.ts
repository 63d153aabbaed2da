/**
 * The outbox relay: all open jobs are published to a Redis that has lost its data, and a lost job is published again.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { Queue } from 'bullmq';
import { eq } from 'drizzle-orm';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { closeJobs } from '#domain/jobs/enqueue.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { createJobPublisher } from '#runtime/jobs/job-publisher.ts';
import { connectProducer, isReadyWithin, type Redis } from '#runtime/redis/redis.ts';
import { createOutboxRelay } from '#workers/sweeper/outbox-relay.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestClock, type TestClock } from '#test/harness/clock.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { useTransport } from '#test/harness/transport.ts';
import { forEachStore } from '#test/harness/stores.ts';

const logger = createLogger({ name: 'test', level: 'silent' });

forEachStore((store) => {
  afterAll(() => queue.close());
  const transport = useTransport();
  let redis: Redis;
  let queue: Queue;
  let clock: TestClock;
  let ctx: Ctx;

  beforeAll(() => {
    ({ redis } = transport);
    queue = new Queue('eval-runs', { connection: redis, prefix: redisNames.queuePrefix('eval-runs') });
    queue.on('error', () => undefined);
    clock = createTestClock();
    ctx = { ...createTestCtx(store.db, clock), publisher: transport.publisher };
  });
  beforeEach(async () => {
    await redis.flushall();
    const { jobs } = ctx.db.tables;
    const open = await ctx.db.query.select({ id: jobs.id }).from(jobs);
    await withTransaction(ctx, (inner) =>
      closeJobs(
        inner,
        open.map((row) => row.id),
      ),
    );
  });

  async function openJobs(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let made = 0; made < count; made += 1) {
      const agent = await createTestAgent(ctx, {});
      const { evalRun } = await redeem(ctx, agent.id, 'http://127.0.0.1:9/');
      ids.push(evalRun.id);
    }
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

  async function eventually(holds: () => Promise<boolean>): Promise<void> {
    for (let wait = 0; wait < 1_000 && !(await holds()); wait += 1) await Bun.sleep(20);
    expect(await holds()).toBe(true);
  }

  /** Jobs are published after the commit. */
  async function expectKnown(runIds: readonly string[]): Promise<void> {
    await eventually(async () => (await knownJobs()).length >= runIds.length);
    expect(await knownJobs()).toEqual([...runIds]);
  }

  test('a Redis without the incarnation key receives every open job once, and gets the key', async () => {
    const open = await openJobs(7);
    await expectKnown(open);
    await redis.flushall();
    clock.advance(1);
    expect(await knownJobs()).toEqual([]);
    const relay = createOutboxRelay(ctx, redis, transport.publisher, logger);
    await relay.relayAllToNewRedis();
    await expectKnown(open);
    expect(await redis.exists(redisNames.incarnation)).toBe(1);
  });

  test('two concurrent relays publish each job once', async () => {
    const open = await openJobs(5);
    await expectKnown(open);
    await redis.flushall();
    clock.advance(1);
    const relays = [
      createOutboxRelay(ctx, redis, transport.publisher, logger),
      createOutboxRelay(ctx, redis, transport.publisher, logger),
    ];
    await Promise.all(relays.map((relay) => relay.relayAllToNewRedis()));
    await expectKnown(open);
  });

  test('a known Redis is left alone', async () => {
    const relay = createOutboxRelay(ctx, redis, transport.publisher, logger);
    await relay.relayAllToNewRedis();
    await expectKnown(await openJobs(2));
    await queue.obliterate({ force: true });
    clock.advance(1);
    await relay.relayAllToNewRedis();
    await settle();
    expect(await knownJobs()).toEqual([]);
  });

  test('every open job is announced to a Redis with a new replication id, because a failover may have lost some', async () => {
    const relay = createOutboxRelay(ctx, redis, transport.publisher, logger);
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
    const open = await openJobs(3);
    await expectKnown(open);
    await redis.flushall();
    clock.advance(1);
    const other = connectProducer(transport.redisUrl, logger);
    await isReadyWithin(other, 20_000);
    const publisher = createJobPublisher(other, logger);
    other.disconnect();
    await createOutboxRelay({ ...ctx, publisher }, redis, publisher, logger).relayAllToNewRedis();
    expect([await knownJobs(), await redis.exists(redisNames.incarnation)]).toEqual([[], 0]);
    clock.advance(1);
    await createOutboxRelay(ctx, redis, transport.publisher, logger).relayAllToNewRedis();
    expect([await knownJobs(), await redis.exists(redisNames.incarnation)]).toEqual([open, 1]);
  });

  test('a job that the queue has lost is published again after 15 seconds, a closed one never', async () => {
    const open = await openJobs(2);
    await expectKnown(open);
    await queue.obliterate({ force: true });
    const relay = createOutboxRelay(ctx, redis, transport.publisher, logger);
    clock.advance(14_999);
    await relay.relayOldJobs();
    await settle();
    expect(await knownJobs()).toEqual([]);
    const { jobs } = ctx.db.tables;
    const rows = await ctx.db.query.select().from(jobs).where(eq(jobs.kind, 'run'));
    const first = rows.find((row) => (row.payload as { runId: string }).runId === open[0])!;
    await withTransaction(ctx, (inner) => closeJobs(inner, [first.id]));
    clock.advance(2);
    await relay.relayOldJobs();
    await expectKnown([open[1]!]);
  });

  test('all open jobs are published, even more than fit in one round', async () => {
    const { jobs } = ctx.db.tables;
    const [sample] = await openJobs(1);
    const now = clock.now();
    await ctx.db.transaction(async (tx) => {
      await tx.query.insert(jobs).values(
        Array.from({ length: 1_200 }, () => ({
          id: Bun.randomUUIDv7('hex', now),
          kind: 'run',
          payload: { runId: sample },
          createdAt: now,
          runAt: now,
          publishedAt: now,
        })),
      );
    });
    await redis.flushall();
    clock.advance(1);
    await createOutboxRelay(ctx, redis, transport.publisher, logger).relayAllToNewRedis();
    await eventually(async () => (await knownJobs()).length === 1_201);
  });
});
