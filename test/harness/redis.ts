/** Starts an in-memory Redis server for one test file, on a private socket. */
import { Redis } from 'ioredis';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPrivateRedis } from '#runtime/redis/private-redis.ts';
import { useStarted } from './use-started.ts';

export interface TestRedis {
  /** A value for `REDIS_URL`, also for ioredis. */
  readonly url: string;
  /** Stops the server and removes its folder, which also happens when the test process ends. */
  stop(): Promise<void>;
}

export async function startTestRedis(): Promise<TestRedis> {
  const dir = await mkdtemp(join(tmpdir(), 'agent-hub-redis-'));
  return await startPrivateRedis({ dir, persistent: false });
}

export async function redisPidOf(url: string): Promise<number> {
  const redis = new Redis(url);
  const info = await redis.info('server');
  redis.disconnect();
  return Number(/process_id:(\d+)/.exec(info)?.[1]);
}

/** A server for the tests of a file or a group. */
export function useTestRedis(): TestRedis {
  return useStarted(startTestRedis, (redis) => redis.stop());
}
