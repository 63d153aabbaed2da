/** Disturbances of Redis itself. */
import { type Disturbance, nothingToEnd } from './disturbance.ts';

export const flushRedis: Disturbance = {
  name: 'Redis flushed',
  start: async ({ redis }) => {
    await redis.command('FLUSHALL');
    return nothingToEnd;
  },
};

export const killRedis: Disturbance = {
  name: 'Redis killed and restarted empty',
  start: async ({ redis }) => {
    await redis.kill();
    return () => redis.restart();
  },
};

export const stopRedis: Disturbance = {
  name: 'Redis stopped (SIGSTOP)',
  start: async ({ redis }) => {
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
