/** Connects to the actors of a running hub for one command. */
import { type ActorClient, createActorClient } from '#actors/actor-client.ts';
import { giveSeatsBack as giveBack } from '#actors/give-seats-back.ts';
import { seatActor } from '#actors/seat-actor.ts';
import type { EventRow } from '#domain/events/event-rows.ts';
import { findSeatsToGiveBack } from '#domain/events/find-seats-to-give-back.ts';
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
    // The reply may come immediately and reaches only subscribers. A reply to this ping proves that the
    // subscription is active.
    await subscriber.ping();
    return await work(actors);
  } finally {
    await actors.close();
    subscriber.disconnect();
  }
}

/**
 * Asks the actor of an event to cancel it. Only its actor changes an event, so a seats worker must be
 * running.
 * @throws StartError without a Redis; DomainError queue_unavailable when no worker responds, event_not_found
 */
export function cancelEvent(operator: Operator, eventId: string): Promise<EventRow> {
  return withActors(operator, async (actors) => {
    const { event } = await actors.ask(seatActor, eventId, { kind: 'cancel-event' });
    return event;
  });
}

/**
 * Releases the seats of an agent that has just been suspended.
 * @returns a line about remaining work, or null
 */
export async function giveSeatsBack(operator: Operator, agentId: string): Promise<string | null> {
  const { ctx } = operator;
  const { length } = await findSeatsToGiveBack(ctx, agentId);
  if (length === 0) return null;
  const done = await withActors(operator, (actors) => giveBack(ctx, actors, agentId)).catch(() => 0);
  return done === length ? null : 'Its seats will be released as soon as the hub runs.';
}
