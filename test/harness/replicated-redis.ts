/**
 * The common interface of a Redis behind Sentinels and a Redis Cluster: masters with one replica each, and failovers.
 */
import type { RedisServer } from './redis-server.ts';
import { waitUntil } from './wait-until.ts';

export interface ReplicatedRedis {
  /** For `REDIS_URL`. */
  readonly url: string;
  /** Masters and replicas, in no particular order. */
  readonly servers: readonly RedisServer[];
  masters(): Promise<readonly RedisServer[]>;
  replicaOf(master: RedisServer): Promise<RedisServer>;
  /** Requests a failover without loss, as before maintenance. */
  switchOver(replica: RedisServer): Promise<void>;
  /** Makes a resumed or restarted master a replica, as its supervisor does after some seconds. */
  demote(former: RedisServer, master: RedisServer): Promise<void>;
  /** Waits until every master accepts writes and has a replica with its data, and everybody knows so. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

/** An election takes a second or two; the rest is for a busy machine. */
const promotedWithinMs = 60_000;
const wrongPassword = 'cut-off';

export function untilPromoted(replica: RedisServer): Promise<void> {
  return waitUntil(async () => (await replica.read('replication', 'role')) === 'master', promotedWithinMs);
}

/**
 * Cuts a replica off from its master, which continues to accept writes, as it does within `min-replicas-max-lag`.
 * @returns a function that lets the replica replicate again
 */
export async function cutOff(replica: RedisServer, master: RedisServer): Promise<() => Promise<void>> {
  const [, password = ''] = await replica.admin.config('GET', 'masterauth');
  await master.admin.config('SET', 'min-replicas-to-write', '0');
  await replica.admin.config('SET', 'masterauth', wrongPassword);
  await replica.admin.call('CLIENT', 'KILL', 'TYPE', 'master');
  await waitUntil(async () => (await replica.read('replication', 'master_link_status')) === 'down');
  return async () => void (await replica.admin.config('SET', 'masterauth', password));
}
