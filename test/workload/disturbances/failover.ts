/** Disturbances of a Redis with replicas: a master fails, or seems to, and its replica takes over. */
import type { Random } from '#evals/random.ts';
import type { RedisServer } from '#test/harness/redis-server.ts';
import { cutOff, type ReplicatedRedis, untilPromoted } from '#test/harness/replicated-redis.ts';
import type { RedisUnderTest } from '../redis-under-test.ts';
import type { Disturbance } from './disturbance.ts';

interface Pair {
  readonly redis: ReplicatedRedis;
  readonly master: RedisServer;
  readonly replica: RedisServer;
}

/** By name. Each returns a function that ends it; then both servers serve again, as master and replica. */
const failovers: Readonly<Record<string, (pair: Pair) => Promise<() => Promise<void>>>> = {
  'a Redis master killed, its replica promoted': async (pair) => {
    await pair.master.kill();
    await untilPromoted(pair.replica);
    return () => restartAsReplica(pair);
  },
  'a Redis master stopped (SIGSTOP), its replica promoted': async ({ redis, master, replica }) => {
    master.signal('SIGSTOP');
    await untilPromoted(replica);
    return async () => {
      master.signal('SIGCONT');
      await redis.demote(master, replica);
    };
  },
  'a Redis replica promoted that lacks the latest writes': async (pair) => {
    const { master, replica } = pair;
    const reconnect = await cutOff(replica, master);
    return async () => {
      await master.kill();
      await untilPromoted(replica);
      await reconnect();
      await restartAsReplica(pair);
    };
  },
  'a Redis master switched over as planned': async ({ redis, replica }) => {
    await redis.switchOver(replica);
    await untilPromoted(replica);
    return () => Promise.resolve();
  },
};

async function restartAsReplica({ redis, master, replica }: Pair): Promise<void> {
  await master.restart();
  await redis.demote(master, replica);
}

/** A disturbance that needs only the Redis of a hub. */
interface RedisDisturbance extends Disturbance {
  start(hub: { readonly redis: RedisUnderTest }): Promise<() => Promise<void>>;
}

/** Each picks a master at random. */
export function failoversOf(random: Random): readonly RedisDisturbance[] {
  return Object.entries(failovers).map(([name, failOver]) => ({
    name,
    start: async ({ redis: { replicated: redis } }) => {
      if (redis === null) throw new Error('The hub has a single Redis.');
      const master = random.pick(await redis.masters());
      const end = await failOver({ redis, master, replica: await redis.replicaOf(master) });
      return async () => {
        await end();
        await redis.settle();
      };
    },
  }));
}

const lastsMs = { least: 500, most: 2_000 };
const pauseMs = { least: 1_000, most: 4_000 };

/** One failover after another. @returns a function that ends them and resolves with their number */
export function keepFailingOver(redis: RedisUnderTest, random: Random): () => Promise<number> {
  const disturbances = redis.replicated === null ? [] : failoversOf(random);
  const over = new AbortController();
  const run = async (): Promise<number> => {
    let count = 0;
    while (disturbances.length > 0 && !over.signal.aborted) {
      const end = await random.pick(disturbances).start({ redis });
      await Bun.sleep(random.int(lastsMs.least, lastsMs.most));
      await end();
      count += 1;
      await Bun.sleep(random.int(pauseMs.least, pauseMs.most));
    }
    return count;
  };
  const running = run();
  // Reported by the caller, who ends them.
  running.catch(() => undefined);
  return () => {
    over.abort();
    return running;
  };
}
