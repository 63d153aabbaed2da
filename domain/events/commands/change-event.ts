/** Changes an event: what it is about, when it takes place, how many seats it has and what they cost from now on. */
import { DomainError } from '../../errors.ts';
import { requireFuture } from '../../require-future.ts';
import { checkEvent } from '../check-event.ts';
import { eventCancelled } from '../event-refusals.ts';
import type { OpenEvent, SeatBooks } from '../seat-books.ts';
import type { ChangeEventCommand, SeatReplies } from '../seat-commands.ts';

/** @throws DomainError event_cancelled, seats_taken, invalid_body; nothing has changed then */
export function changeEvent(
  books: SeatBooks,
  event: OpenEvent,
  { changes }: ChangeEventCommand,
): SeatReplies['change-event'] {
  if (event.status === 'cancelled') throw eventCancelled();
  const { host, ...plain } = changes;
  const next = {
    ...event,
    ...plain,
    ...(host === undefined ? {} : { hostAgentId: host.agentId, hostHandle: host.handle }),
  };
  checkEvent(next);
  if (changes.startsAt !== undefined) requireFuture('starts_at', changes.startsAt, books.now);
  if (next.seatsTotal < event.seatsTaken) {
    throw new DomainError(
      'seats_taken',
      `\`seats_total\` cannot be below the ${event.seatsTaken} seat(s) taken.`,
      {
        hint: 'Seats that agents hold are not taken away; cancelling the whole event refunds them all.',
        fields: { seats_taken: event.seatsTaken },
      },
    );
  }
  const isShownInCalendars =
    next.title !== event.title ||
    next.description !== event.description ||
    next.presenter !== event.presenter ||
    next.startsAt.getTime() !== event.startsAt.getTime() ||
    next.endsAt.getTime() !== event.endsAt.getTime();
  const added = Math.max(0, next.seatsTotal - event.seatsTotal);
  Object.assign(event, next);
  if (isShownInCalendars) event.calendarSequence += 1;
  for (let seat = 0; seat < Math.min(added, event.waitlistCount); seat += 1) books.tellFirstInLine(event.id);
  return { event: { ...event } };
}
