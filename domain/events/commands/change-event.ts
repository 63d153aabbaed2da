/** Changes an event, and notifies the holders of its seats if it moves. A new price applies to seats reserved from now on. */
import { type Static, Type } from 'typebox';
import { Instant } from '#runtime/json-reader.ts';
import { DomainError } from '../../errors.ts';
import { requireFuture } from '../../require-future.ts';
import { checkEvent, eventCancelled, lacksHost } from '../event-refusals.ts';
import { type EventRow, eventRowSchema } from '../event-rows.ts';
import { seatCommand } from './seat-command.ts';

/** Fields left out stay as they are. */
export type EventChanges = Static<typeof changesSchema>;
const changesSchema = Type.Object({
  title: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  presenter: Type.Optional(Type.String()),
  host: Type.Optional(Type.Object({ agentId: Type.String(), handle: Type.String() })),
  startsAt: Type.Optional(Instant()),
  endsAt: Type.Optional(Instant()),
  seatsTotal: Type.Optional(Type.Integer()),
  tokenPrice: Type.Optional(Type.Integer()),
});

/** Errors: event_cancelled, seats_taken, invalid_body. */
export const changeEvent = seatCommand({
  name: 'change-event',
  schema: Type.Object({ changes: changesSchema }),
  reply: Type.Object({ event: eventRowSchema }),
  // It may notify the holders of thousands of seats.
  timeoutMs: 30_000,
  opens: ({ changes: { startsAt, endsAt } }) =>
    startsAt === undefined && endsAt === undefined ? {} : { allSeats: true },
  apply: (state, event, { changes }) => {
    if (event.status === 'cancelled') throw eventCancelled();
    const { host, ...plain } = changes;
    const next: EventRow = {
      ...event,
      ...plain,
      ...(host === undefined ? {} : { hostAgentId: host.agentId, hostHandle: host.handle }),
    };
    checkEvent(next);
    if (changes.startsAt !== undefined) requireFuture('starts_at', changes.startsAt, state.now);
    if (next.seatsTotal < event.seatsTaken) throw seatsTaken(event);
    const isMoved = timesOf(next) !== timesOf(event);
    const calendarsChange = isMoved || isShownDifferently(event, next);
    // Nobody is told of a seat at an event that has started, or has no host.
    const isShut = (one: EventRow): boolean => one.startsAt <= state.now || lacksHost(one);
    const reopens = isShut(event) && !isShut(next);
    const opened = reopens
      ? next.seatsTotal - next.seatsTaken
      : Math.max(0, next.seatsTotal - event.seatsTotal);
    Object.assign(event, next, { changedAt: state.now });
    if (calendarsChange) event.calendarSequence += 1;
    if (isMoved) state.notifyMoved(event);
    const notified = Math.min(opened, event.waitlistCount);
    for (let seat = 0; seat < notified; seat += 1) state.notifyNextWaiting(event);
    return { event: { ...event } };
  },
});

function seatsTaken(event: EventRow): DomainError {
  return new DomainError(
    'seats_taken',
    `\`seats_total\` cannot be less than the ${event.seatsTaken} ${event.seatsTaken === 1 ? 'seat' : 'seats'} already taken.`,
    {
      hint: 'Reserved seats cannot be removed. To refund them all, cancel the event.',
      fields: { seats_taken: event.seatsTaken },
    },
  );
}

/** Whether calendar files show a difference besides the times. */
function isShownDifferently(event: EventRow, next: EventRow): boolean {
  return (
    next.title !== event.title || next.description !== event.description || next.presenter !== event.presenter
  );
}

function timesOf({ startsAt, endsAt }: EventRow): string {
  return `${startsAt.getTime()} ${endsAt.getTime()}`;
}
