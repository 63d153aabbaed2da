/**
 * Asks the actor of an event to cancel it. Only its actor changes an event, so a seats worker must be
 * running.
 */
import { seatActor } from '#actors/seat-actor.ts';
import type { EventRow } from '#domain/events/event-rows.ts';
import type { Operator } from './open-operator.ts';
import { withActors } from './with-actors.ts';

/**
 * @throws StartError without a Redis; DomainError queue_unavailable when no worker responds, event_not_found
 */
export function cancelEvent(operator: Operator, eventId: string): Promise<EventRow> {
  return withActors(operator, async (actors) => {
    const { event } = await actors.ask(seatActor, eventId, { kind: 'cancel-event' });
    return event;
  });
}
