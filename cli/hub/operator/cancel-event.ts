/** Has the actor of an event cancel it. Whatever changes an event goes through its actor, so the hub's workers must run. */
import { createActorClient } from '#actors/actor-client.ts';
import { seatActor } from '#actors/seat-actor.ts';
import type { EventRow } from '#domain/events/event-rows.ts';
import { connectSubscriber } from '#runtime/redis/redis.ts';
import type { Operator } from './open-operator.ts';

/** @throws StartError without a Redis; DomainError queue_unavailable when no worker answers, event_not_found */
export async function cancelEvent(operator: Operator, eventId: string): Promise<EventRow> {
  const { logger, redisUrl } = operator;
  const redis = await operator.redis();
  const subscriber = connectSubscriber(redisUrl, logger);
  const actors = createActorClient(redis, subscriber, logger);
  try {
    // The answer may come at once, and is heard only by who has subscribed: a reply to this comes after that.
    await subscriber.ping();
    const { event } = await actors.ask(seatActor, eventId, { kind: 'cancel-event' });
    return event;
  } finally {
    await actors.close();
    subscriber.disconnect();
  }
}
