/** Starts an in-memory Redis server for one test file, on a private socket. */
import { Redis } from 'ioredis';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PrivateRedis, startPrivateRedis } from '#runtime/redis/private-redis.ts';
import { useStarted } from './use-started.ts';

/** `url` is a value for `REDIS_URL`, also for ioredis. */
export type TestRedis = Pick<PrivateRedis, 'url' | 'stop'>;

/** Its folder is removed when it stops, as it does when the test process ends. */
export async function startTestRedis(): Promise<TestRedis> {
  return startPrivateRedis({ dir: await mkdtemp(join(tmpdir(), 'agent-hub-redis-')), persistent: false });
}

export async function redisPidOf(url: string): Promise<number> {
  const redis = new Redis(url);
  const info = await redis.info('server');
  redis.disconnect();
  return Number(/process_id:(\d+)/.exec(info)?.[1]);
}

export function useTestRedis(): TestRedis {
  return useStarted(startTestRedis, (redis) => redis.stop());
}
