/**
 * Redis over TLS with a certificate of a private authority, and with a user that may only use the hub's keys and
 * channels, in every form of REDIS_URL.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { freePorts } from '#test/harness/free-ports.ts';
import { guardRedis, type RedisGuard, userIn } from '#test/harness/guarded-redis.ts';
import { startRedisCluster } from '#test/harness/redis-cluster.ts';
import { startRedisSentinels } from '#test/harness/redis-sentinels.ts';
import { startRedisServer } from '#test/harness/redis-server.ts';
import { runProgram } from '#test/harness/run-program.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';

const child = join(import.meta.dir, '..', 'harness', 'children', 'use-redis.ts');
const startMs = 90_000;
const folder = useTestFolder();
let guard: RedisGuard;

beforeAll(() => {
  guard = guardRedis();
});
afterAll(() => guard.remove());

async function startSingle(): Promise<{ url: string; stop(): Promise<void> }> {
  const [port = 0] = await freePorts(1);
  const server = await startRedisServer({ port, folder, guard });
  return { url: `rediss://${userIn(guard)}localhost:${port}`, stop: () => server.stop() };
}

async function useRedis(url: string, settings: Readonly<Record<string, string>>): Promise<string> {
  const env = { PATH: process.env['PATH'], REDIS_URL: url, ...settings };
  return (await runProgram([process.execPath, child], { env })).printed.trim();
}

test.each([
  ['a server', startSingle],
  ['a master behind Sentinels', () => startRedisSentinels(guard)],
  ['a Cluster', () => startRedisCluster(guard)],
])(
  'a process uses %s with a private authority and a user with limited rights',
  async (_, start) => {
    const redis = await start();
    try {
      const trusting = { NODE_EXTRA_CA_CERTS: guard.authorityFile };
      const [used, rejected, refusal] = await Promise.all([
        useRedis(redis.url, trusting),
        useRedis(redis.url.replace(guard.credentials.password, 'wrong'), trusting),
        useRedis(redis.url, {}),
      ]);
      expect(used).toBe('done');
      expect(rejected).toContain('rejected the user or the password in REDIS_URL');
      expect(refusal).toContain('NODE_EXTRA_CA_CERTS');
      const { password } = guard.credentials;
      for (const form of [password, decodeURIComponent(password)]) expect(refusal).not.toContain(form);
    } finally {
      await redis.stop();
    }
  },
  startMs,
);
