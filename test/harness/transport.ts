/** A Redis server and a job publisher for tests. */
import { createJobPublisher, type RedisPublisher } from '#runtime/jobs/job-publisher.ts';
import { connectProducer, isReadyWithin, type Redis } from '#runtime/redis/redis.ts';
import { startTestRedis } from './redis.ts';
import { silentLogger as logger } from './silent-logger.ts';
import { useStarted } from './use-started.ts';

export interface Transport {
  readonly redisUrl: string;
  readonly redis: Redis;
  readonly publisher: RedisPublisher;
  readonly stop: () => Promise<void>;
}

const readyWithinMs = 20_000;

export async function startTransport(): Promise<Transport> {
  const server = await startTestRedis();
  const redis = connectProducer(server.url, logger);
  await isReadyWithin(redis, readyWithinMs);
  const publisher = createJobPublisher(redis, logger);
  return {
    redisUrl: server.url,
    redis,
    publisher,
    stop: async () => {
      await publisher.close();
      redis.disconnect();
      await server.stop();
    },
  };
}

/** A transport for the tests of a file or a group. */
export function useTransport(): Transport {
  return useStarted(startTransport, (transport) => transport.stop());
}
