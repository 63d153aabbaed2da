/** A Redis server and a job publisher for tests. */
import { createJobPublisher } from '#runtime/jobs/job-publisher.ts';
import { connectProducer, isReadyWithin } from '#runtime/redis/redis.ts';
import { startTestRedis } from './redis.ts';
import { silentLogger as logger } from './silent-logger.ts';
import { useStarted } from './use-started.ts';

const readyWithinMs = 20_000;

export async function startTransport() {
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

export function useTransport() {
  return useStarted(startTransport, (transport) => transport.stop());
}
