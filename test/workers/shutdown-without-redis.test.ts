/** A worker process ends in order and soon, also when its Redis is gone. */
import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestRedis } from '#test/harness/redis.ts';
import { poolNames } from '#workers/pools.ts';

const endedWithinMs = 3_500;

async function endWithoutRedis(pool: string, databaseUrl: string): Promise<void> {
  const redis = await startTestRedis();
  const main = join(import.meta.dirname, '..', '..', 'workers', 'main.ts');
  const child = Bun.spawn([process.execPath, main, '--pool', pool], {
    env: { PATH: process.env['PATH'] ?? '', DATABASE_URL: databaseUrl, REDIS_URL: redis.url },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  let output = '';
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) output += decoder.decode(chunk, { stream: true });
  })();
  for (let wait = 0; wait < 500 && !output.includes('"working"'); wait += 1) await Bun.sleep(20);
  await redis.stop();
  await Bun.sleep(300);
  const startedAt = performance.now();
  child.kill('SIGTERM');
  await child.exited;
  const tookMs = performance.now() - startedAt;
  await reading;
  expect(output).toContain('"working"');
  expect(output).not.toContain('"level":"error"');
  expect(child.exitCode).toBe(0);
  expect(tookMs).toBeLessThan(endedWithinMs);
}

test.each(poolNames)(
  'the pool %s ends within seconds of SIGTERM after its Redis was killed',
  async (pool) => {
    const folder = await mkdtemp(join(tmpdir(), 'hub-end-'));
    await endWithoutRedis(pool, `sqlite:${join(folder, 'hub.sqlite')}`);
    await rm(folder, { recursive: true });
  },
  30_000,
);
