import type { Logger } from '../tracing/log.ts';
import type { Redis } from './create-redis.ts';
import { isReadyWithin } from './redis.ts';

const probeKey = 'hub:write-probe';
const keptMs = 1_000;

/** For checks of readiness. */
export function probeOfRedis(redis: Redis): { ping(): Promise<unknown>; write(): Promise<void> } {
  return { ping: () => redis.ping(), write: () => tryWriteRedis(redis) };
}

/** Writes one short-lived key. Rejects with the reply of a Redis that is full or a replica. */
export async function tryWriteRedis(redis: Redis): Promise<void> {
  await redis.set(probeKey, '1', 'PX', keptMs);
}

/** Waits for Redis at a start, which goes on without it: most requests need none. Never rejects. */
export async function awaitRedis(redis: Redis, timeoutMs: number, logger: Logger): Promise<void> {
  if (!(await isReadyWithin(redis, timeoutMs))) return;
  await tryWriteRedis(redis).catch((err: unknown) =>
    logger.error({ err }, 'Redis does not accept writes: it is full, or a replica'),
  );
}
