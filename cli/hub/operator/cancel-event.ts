/**
 * Asks the actor of an event to cancel it. Only its actor changes an event, so a seats worker must be
 * running.
 */
import { createActorClient } from '#actors/actor-client.ts';
import { seatActor } from '#actors/seat-actor.ts';
import type { EventRow } from '#domain/events/event-rows.ts';
import { connectSubscriber } from '#runtime/redis/redis.ts';
import type { Operator } from './open-operator.ts';

/**
 * @throws StartError without a Redis; DomainError queue_unavailable when no worker responds, event_not_found
 */
export async function cancelEvent(operator: Operator, eventId: string): Promise<EventRow> {
  const { logger, redisUrl } = operator;
  const redis = await operator.redis();
  const subscriber = connectSubscriber(redisUrl, logger);
  const actors = createActorClient(redis, subscriber, logger);
  try {
    // The reply may come at once and reaches only subscribers. A reply to this ping proves that the
    // subscription is active.
    await subscriber.ping();
    const { event } = await actors.ask(seatActor, eventId, { kind: 'cancel-event' });
    return event;
  } finally {
    await actors.close();
    subscriber.disconnect();
  }
}
