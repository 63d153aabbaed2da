/** Every process of a hub stops in order and quickly when told to, even if its Redis is gone or hangs. */
import { describe, expect, test } from 'bun:test';
import { systemClock } from '#runtime/clock.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { readRun, redeem } from '#test/harness/eval-runs.ts';
import { hubProgram } from '#test/harness/hub-binary.ts';
import { redisPidOf, startTestRedis } from '#test/harness/redis.ts';
import { useScratchStore } from '#test/harness/stores.ts';
import { startTarget } from '#test/harness/target.ts';
import { startProgram } from '#test/harness/run-program.ts';
import { poolNames } from '#workers/pool-registry.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { startTransport } from '#test/harness/transport.ts';

/** A stop takes 2 to 4 seconds; waiting for Redis would use the 10 that a shutdown step has. */
const endedWithinMs = 9_000;

const processes = [
  { name: 'the API', command: hubProgram('api'), ready: '"listening"' },
  {
    // Pools of one process stop at the same time, so none of them waits for another.
    name: 'a process of all pools',
    command: hubProgram('worker', ...poolNames.flatMap((pool) => ['--pool', pool])),
    ready: '"working"',
  },
];

const store = useScratchStore('sqlite');
const dataDir = useTestFolder();

async function startProcess({ command, ready }: (typeof processes)[number], redisUrl: string) {
  if (store.setting.kind !== 'sqlite') throw new Error('not a SQLite store');
  const { child, until, ended } = startProgram(command, {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: `sqlite:${store.setting.file}`,
      DATA_DIR: dataDir,
      REDIS_URL: redisUrl,
      PORT: '0',
    },
  });
  await until(new RegExp(ready));
  return {
    async expectOrderlyEnd() {
      const startedAt = performance.now();
      child.kill('SIGTERM');
      const { exitCode, printed } = await ended;
      expect(performance.now() - startedAt).toBeLessThan(endedWithinMs);
      expect(printed).not.toContain('"level":"error"');
      expect(exitCode).toBe(0);
    },
    until,
  };
}

describe.each(processes)('$name stops within seconds of SIGTERM', (one) => {
  test('after its Redis was stopped', async () => {
    const redis = await startTestRedis();
    const running = await startProcess(one, redis.url);
    await redis.stop();
    await running.until(/Redis is down/);
    await running.expectOrderlyEnd();
  });

  test('while its Redis hangs', async () => {
    const redis = await startTestRedis();
    const pid = await redisPidOf(redis.url);
    const running = await startProcess(one, redis.url);
    process.kill(pid, 'SIGSTOP');
    await running.expectOrderlyEnd();
    process.kill(pid, 'SIGCONT');
    await redis.stop();
  });
});

test('a runner that stops during a run while its Redis is gone hands the run back', async () => {
  const called = Promise.withResolvers<void>();
  await using target = startTarget(() => {
    called.resolve();
    return new Promise<never>(() => undefined);
  });
  const { publisher, redisUrl, stop } = await startTransport();
  const ctx = { ...createTestCtx(store.db), clock: systemClock, publisher };
  const runner = processes[1]!;
  const running = await startProcess(runner, redisUrl);
  const agent = await createTestAgent(ctx, { tokens: 1 });
  const { evalRun } = await redeem(ctx, agent.id, target.url);
  await called.promise;
  await stop();
  await running.expectOrderlyEnd();
  const { job, row, cases } = await readRun(ctx, evalRun.id);
  expect([job.status, row.closedAt, cases]).toEqual(['running', null, []]);
  expect(job.leaseUntil!.getTime()).toBeLessThanOrEqual(Date.now());
});
