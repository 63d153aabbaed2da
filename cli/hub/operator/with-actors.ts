/** Connects to the actors of a running hub for one command. */
import { type ActorClient, createActorClient } from '#actors/actor-client.ts';
import { connectSubscriber } from '#runtime/redis/redis.ts';
import type { Operator } from './open-operator.ts';

/** @throws StartError without a Redis */
export async function withActors<T>(
  operator: Operator,
  work: (actors: ActorClient) => Promise<T>,
): Promise<T> {
  const { logger, redisUrl } = operator;
  const redis = await operator.redis();
  const subscriber = connectSubscriber(redisUrl, logger);
  const actors = createActorClient(redis, subscriber, logger);
  try {
    // The reply may come at once and reaches only subscribers. A reply to this ping proves that the
    // subscription is active.
    await subscriber.ping();
    return await work(actors);
  } finally {
    await actors.close();
    subscriber.disconnect();
  }
}
