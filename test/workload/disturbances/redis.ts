/** Disturbances of Redis itself. */
import type { HubUnderTest } from '../hub-under-test.ts';
import type { SingleRedis } from '../redis-under-test.ts';
import { type Disturbance, nothingToEnd } from './disturbance.ts';

function singleOf({ redis }: HubUnderTest): SingleRedis {
  if (redis.single === null) throw new Error('The hub has more than one Redis server.');
  return redis.single;
}

export const flushRedis: Disturbance = {
  name: 'Redis flushed',
  start: async ({ redis }) => {
    await redis.command('FLUSHALL');
    return nothingToEnd;
  },
};

export const killRedis: Disturbance = {
  name: 'Redis killed and restarted empty',
  start: async (hub) => {
    const redis = singleOf(hub);
    await redis.kill();
    return () => redis.restart();
  },
};

export const stopRedis: Disturbance = {
  name: 'Redis stopped (SIGSTOP)',
  start: async (hub) => {
    const redis = singleOf(hub);
    redis.signal('SIGSTOP');
    return async () => redis.signal('SIGCONT');
  },
};

export const fillRedis: Disturbance = {
  name: 'Redis out of memory',
  start: async ({ redis }) => {
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    return () => redis.command('CONFIG', 'SET', 'maxmemory', '0');
  },
};

export const demoteRedis: Disturbance = {
  name: 'Redis read-only, as after a failover',
  start: async ({ redis }) => {
    await redis.command('REPLICAOF', '127.0.0.1', '1');
    return () => redis.command('REPLICAOF', 'NO', 'ONE');
  },
};
