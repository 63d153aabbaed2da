import { Cluster, type Redis as SingleRedis } from 'ioredis';
import type { Redis } from './create-redis.ts';

/**
 * Identifies the data of this Redis: one id, or those of all masters of a Cluster. A master gets a new id when it
 * starts empty, and when it is promoted, because it may lack the latest writes of its predecessor.
 *
 * @returns null while a master of a Cluster is away
 */
export async function readReplicationId(redis: Redis): Promise<string | null> {
  if (!(redis instanceof Cluster)) return idOf(redis);
  const serving = new Set(redis.slots.flatMap(([master]) => master ?? []));
  const masters = redis
    .nodes('master')
    .filter(({ options }) => serving.has(`${options.host}:${options.port}`));
  if (masters.length === 0 || masters.length < serving.size) return null;
  return (await Promise.all(masters.map(idOf))).toSorted().join();
}

/** Some Redis-compatible servers have none. */
async function idOf(redis: SingleRedis): Promise<string> {
  return /^master_replid:(\w+)/m.exec(await redis.info('replication'))?.[1] ?? 'without replication id';
}
