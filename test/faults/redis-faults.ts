/** What may befall the Redis of a hub, and the network on the way to it. */
import { bothStores, type Fault } from './fault.ts';

/** Seats wait for Redis; all else goes on without it. */
const refusals = ['queue_unavailable'];

export const redisFaults: readonly Fault[] = [
  {
    name: 'Redis killed, and started again empty',
    dialects: bothStores,
    refusals,
    strike: async ({ redis }) => {
      await redis.kill();
      return () => redis.restart();
    },
  },
  {
    name: 'Redis stands still (SIGSTOP)',
    dialects: bothStores,
    refusals,
    lastsMs: 4_000,
    strike: async ({ redis }) => {
      redis.signal('SIGSTOP');
      return async () => redis.signal('SIGCONT');
    },
  },
  {
    name: 'Redis out of memory',
    dialects: bothStores,
    refusals,
    strike: async ({ redis }) => {
      await redis.command('CONFIG', 'SET', 'maxmemory', '1');
      return () => redis.command('CONFIG', 'SET', 'maxmemory', '0');
    },
  },
  {
    name: 'Redis read-only, as after a failover',
    dialects: bothStores,
    refusals,
    strike: async ({ redis }) => {
      await redis.command('REPLICAOF', '127.0.0.1', '1');
      return () => redis.command('REPLICAOF', 'NO', 'ONE');
    },
  },
];

export const redisNetworkFaults: readonly Fault[] = [
  {
    name: 'connections to Redis cut',
    dialects: bothStores,
    refusals,
    strike: async ({ redisGate }) => {
      redisGate.cut();
      return async () => undefined;
    },
  },
  {
    name: 'Redis loses all that it is sent',
    dialects: bothStores,
    refusals,
    lastsMs: 4_000,
    strike: async ({ redisGate }) => {
      redisGate.lose();
      return async () => redisGate.find();
    },
  },
  {
    name: 'Redis slow by 200 ms each way',
    dialects: bothStores,
    refusals: [],
    strike: async ({ redisGate }) => {
      redisGate.delay(200);
      return async () => redisGate.delay(0);
    },
  },
  {
    name: 'what Redis says and hears comes in single bytes',
    dialects: bothStores,
    refusals: [],
    strike: async ({ redisGate }) => {
      redisGate.split(1);
      return async () => redisGate.split(Infinity);
    },
  },
];
