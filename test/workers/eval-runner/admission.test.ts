/** Runs against one slow target leave room for the runs of everybody else. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { queueOfKind } from '#domain/jobs/job-kinds.ts';
import { systemClock } from '#runtime/clock.ts';
import { createJobPublisher, type RedisPublisher } from '#runtime/jobs/job-publisher.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { connectProducer, isReadyWithin, type Redis } from '#runtime/redis/redis.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { createAdmission, runsPerTargetMax } from '#workers/eval-runner/admission.ts';
import { startEvalRunner } from '#workers/eval-runner/start-eval-runner.ts';
import type { RunningPool } from '#workers/pool.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { startTestRedis, type TestRedis } from '#test/harness/redis.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { startOracle, startTarget } from '#test/harness/target.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

test('a target admits a fixed number of runs, whatever the path, and another once one has left', () => {
  const admission = createAdmission(2);
  const first = admission.enter('http://a.example/one');
  expect(admission.enter('http://a.example/two')).not.toBeNull();
  expect(admission.enter('http://a.example/three')).toBeNull();
  expect(admission.enter('http://b.example/')).not.toBeNull();
  first!();
  expect(admission.enter('http://a.example/')).not.toBeNull();
  expect(admission.enter('http://a.example/')).toBeNull();
});

/** The queue keeps what is put off by the instant at which it is due, times this. */
const delayedScoreOfMs = 4_096;

/** A run that is brought when its turn has come; what it answers says whether it was still put off. */
function inLine(name: string, brought: string[], isPutOff = true): () => Promise<boolean> {
  return () => {
    brought.push(name);
    return Promise.resolve(isPutOff);
  };
}

const one = 'http://a.example/one';

test('a run that leaves wakes the first in line, or the next one if the first is no longer waiting', async () => {
  const admission = createAdmission(1);
  const brought: string[] = [];
  const leave = admission.enter(one)!;
  admission.joinLine(one, 'taken up elsewhere', inLine('taken up elsewhere', brought, false));
  admission.joinLine('http://a.example/two', 'next', inLine('next', brought));
  admission.joinLine(one, 'last', inLine('last', brought));
  expect(brought).toEqual([]);
  leave();
  await Bun.sleep(0);
  expect(brought).toEqual(['taken up elsewhere', 'next']);
  admission.enter(one)!();
  await Bun.sleep(0);
  expect(brought.at(-1)).toBe('last');
});

test('a run put off while a place came free is woken at once, and a run is in the line only once', async () => {
  const admission = createAdmission(1);
  const brought: string[] = [];
  admission.joinLine(one, 'late', inLine('late', brought));
  expect(brought).toEqual(['late']);
  const leave = admission.enter(one)!;
  admission.joinLine(one, 'twice', inLine('twice', brought, false));
  admission.joinLine(one, 'twice', inLine('twice again', brought, false));
  leave();
  await Bun.sleep(0);
  expect(brought).toEqual(['late', 'twice again']);
});

test('the longer the line, the longer the fallback delay', () => {
  const admission = createAdmission(1);
  admission.enter(one);
  const alone = admission.retryDelayMs(one);
  for (let run = 0; run < 100; run += 1) admission.joinLine(one, `${run}`, async () => true);
  expect(admission.retryDelayMs(one)).toBe(alone + 100 * 10);
  for (let run = 0; run < 9_900; run += 1) admission.joinLine(one, `more ${run}`, async () => true);
  expect(admission.retryDelayMs(one)).toBe(60_000);
  expect(admission.retryDelayMs('http://b.example/')).toBe(alone);
});

test('the lines are bounded, and runs that another process has claimed leave them', async () => {
  let now = 0;
  const admission = createAdmission(1, 1, () => now);
  const brought: string[] = [];
  const leaveOne = admission.enter(one)!;
  const leaveOther = admission.enter('http://b.example/')!;
  admission.joinLine(one, 'gone', inLine('gone', brought));
  admission.joinLine('http://b.example/', 'too many', inLine('too many', brought));
  leaveOther();
  await Bun.sleep(0);
  expect(brought).toEqual([]);
  now = 120_000;
  admission.joinLine(one, 'in time', inLine('in time', brought));
  leaveOne();
  await Bun.sleep(0);
  expect(brought).toEqual(['in time']);
});

forEachStore((store) => {
  const logger = createLogger({ name: 'test', level: 'silent' });
  let server: TestRedis;
  let redis: Redis;
  let publisher: RedisPublisher;
  let pool: RunningPool;
  let ctx: ReturnType<typeof createTestCtx> & { publisher: RedisPublisher };
  beforeAll(async () => {
    server = await startTestRedis();
    redis = connectProducer(server.url, logger);
    await isReadyWithin(redis, 20_000);
    publisher = createJobPublisher(redis, logger);
    ctx = { ...createTestCtx(store.db), clock: systemClock as never, publisher };
    const settings = parseSettings({ EVAL_CALL_TIMEOUT_MS: '20000' });
    pool = await startEvalRunner({
      ctx,
      logger,
      tracing: null,
      settings,
      redisUrl: server.url,
      redis,
      concurrency: 10,
    });
  });
  afterAll(async () => {
    await pool.drain();
    await publisher.close();
    redis.disconnect();
    await server.stop();
  });

  test('25 free runs against a target that never answers do not keep a run against another one waiting', async () => {
    const never = startTarget(() => new Promise<Response>(() => undefined));
    const seeds: string[] = [];
    const healthy = startOracle(() => seeds);
    for (let i = 0; i < 25; i += 1) await redeem(ctx, (await createTestAgent(ctx)).id, never.url);
    const { evalJob } = await redeem(ctx, (await createTestAgent(ctx)).id, healthy.url);
    seeds.push(evalJob.suiteSeed);
    const { evalJobs } = ctx.db.tables;
    const status = async () => {
      const [job] = await ctx.db.query.select().from(evalJobs).where(eq(evalJobs.id, evalJob.id));
      return job!.status;
    };
    const giveUpAt = performance.now() + 15_000;
    while ((await status()) !== 'completed' && performance.now() < giveUpAt) await Bun.sleep(50);
    expect(await status()).toBe('completed');
    await Promise.all([never.stop(), healthy.stop()]);
  }, 25_000);

  /** Whether runs that found no place began before the queue would have delivered them again by itself. */
  async function areBrought(): Promise<boolean> {
    const { promise: ends, resolve: end } = Promise.withResolvers<void>();
    const slow = startTarget(async () => {
      await ends;
      return new Response('no', { status: 400 });
    });
    for (let run = 0; run < 8; run += 1) await redeem(ctx, (await createTestAgent(ctx)).id, slow.url);
    const { evalJobs } = ctx.db.tables;
    const delayed = `${redisNames.queuePrefix}:${queueOfKind['eval-run']}:delayed`;
    const jobsIn = async (status: 'queued' | 'running' | 'failed') => {
      const jobs = await ctx.db.query.select().from(evalJobs).where(eq(evalJobs.targetUrl, slow.url));
      return jobs.filter((job) => job.status === status);
    };
    await waitUntil(async () => (await jobsIn('running')).length === runsPerTargetMax);
    await waitUntil(async () => (await redis.zcard(delayed)) === 2);
    const waiting = new Set((await jobsIn('queued')).map(({ id }) => id));
    const [, score] = await redis.zrange(delayed, 0, '0', 'WITHSCORES');
    end();
    await waitUntil(async () => (await jobsIn('failed')).length === 8);
    const begunAt = (await jobsIn('failed'))
      .filter(({ id }) => waiting.has(id))
      .map(({ startedAt }) => startedAt!.getTime());
    await slow.stop();
    expect(begunAt).toHaveLength(2);
    return Math.max(...begunAt) < Number(score) / delayedScoreOfMs;
  }

  test('a run that found no place begins as soon as another one ends', async () => {
    // A machine that is busy elsewhere may let that moment pass, but not again and again.
    for (let tries = 0; tries < 5; tries += 1) if (await areBrought()) return;
    expect.unreachable('No run began before the queue would have delivered it again.');
  }, 25_000);
});
