/** Runs against one slow target leave room for the runs of everybody else. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { systemClock } from '#runtime/clock.ts';
import { createJobPublisher, type RedisPublisher } from '#runtime/job-publisher.ts';
import { createLogger } from '#runtime/log.ts';
import { connectProducer, isReadyWithin, type Redis } from '#runtime/redis.ts';
import { parseSettings } from '#runtime/settings.ts';
import { createAdmission } from '#workers/eval-runner/admission.ts';
import { startEvalRunner } from '#workers/eval-runner/pool.ts';
import type { RunningPool } from '#workers/pool.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { startTestRedis, type TestRedis } from '#test/harness/redis.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { startOracle, startTarget } from '#test/harness/target.ts';

test('a target is entered so many times, whatever the path, and again when a run has left', () => {
  const admission = createAdmission(2);
  const first = admission.enter('http://a.example/one');
  expect(admission.enter('http://a.example/two')).not.toBeNull();
  expect(admission.enter('http://a.example/three')).toBeNull();
  expect(admission.enter('http://b.example/')).not.toBeNull();
  first!();
  expect(admission.enter('http://a.example/')).not.toBeNull();
  expect(admission.enter('http://a.example/')).toBeNull();
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
});
