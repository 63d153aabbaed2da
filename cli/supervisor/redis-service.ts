/** The private Redis as a service of the supervisor. */
import { startPrivateRedis } from '#runtime/redis/private-redis.ts';
import type { RunningService, Service } from './service.ts';

/** @param onAddress receives the address; a Redis restarted in the same folder has the same address */
export function redisService(dir: string, onAddress: (url: string) => void): Service {
  return { name: 'redis', start: () => start(dir, onAddress) };
}

async function start(dir: string, onAddress: (url: string) => void): Promise<RunningService> {
  const redis = await startPrivateRedis({ dir });
  onAddress(redis.url);
  return {
    ready: Promise.resolve(),
    ended: redis.exited.then(() => 'the end of its process'),
    stop: async () => {
      await redis.stop();
      return 'in order';
    },
    // Redis saves its data and exits when this process is gone, which is about to happen.
    kill: () => {},
  };
}
