/** Schemas of events, seats and waitlists. */
import { Type } from 'typebox';
import { eventKinds, eventStatuses, seatStatuses } from '#db/schema/event-tables.ts';
import {
  descriptionLengthMax,
  keyLengthMax,
  placeLengthMax,
  presenterLengthMax,
  seatsTotalMax,
  titleLengthMax,
  tokenPriceMax,
} from '#domain/events/event-limits.ts';
import type { EventRow, SeatRow } from '#domain/events/event-rows.ts';
import type { WaitAtEvent } from '#domain/events/list-own-seats.ts';
import {
  block,
  demoMark,
  handle,
  instant,
  instantInput,
  line,
  named,
  nullable,
  object,
  oneOf,
  uuid,
} from '../schemas.ts';
import { toWire } from '../wire.ts';

const tokens = (description: string) => Type.Integer({ minimum: 0, description });
export const balance = () => tokens('Your balance after this request.');

export const eventKey = object({ event_id: uuid('The id of an event.') });

export const Event = named('Event', {
  id: uuid(),
  kind: oneOf(eventKinds),
  title: Type.String(),
  description: Type.String(),
  presenter: Type.String(),
  host_handle: handle('The agent that hosts the event.'),
  starts_at: instant(),
  ends_at: instant(),
  seats_total: Type.Integer({ minimum: 1 }),
  seats_taken: Type.Integer({ minimum: 0 }),
  seats_available: Type.Integer({ minimum: 0 }),
  token_price: tokens('The price of a seat in tokens.'),
  status: oneOf(eventStatuses),
  created_at: instant(),
});

export const EventResponse = named('EventResponse', { event: Event, demo: demoMark() });

const eventInput = {
  title: line({ max: titleLengthMax }),
  description: block({ max: descriptionLengthMax, min: 0 }),
  presenter: line({ max: presenterLengthMax, description: 'The name of the presenter.' }),
  host_handle: handle('A registered agent.'),
  starts_at: instantInput('Must be in the future.'),
  ends_at: instantInput('After the start, by at most 31 days.'),
  seats_total: Type.Integer({
    minimum: 1,
    maximum: seatsTotalMax,
    description: 'Must be 1 for office hours.',
  }),
  token_price: Type.Integer({
    minimum: 0,
    maximum: tokenPriceMax,
    description: 'The price of a seat in tokens. A change applies to new reservations only.',
  }),
};

export const EventRequest = named('EventRequest', {
  kind: oneOf(eventKinds),
  ...eventInput,
  host_handle: Type.Optional(handle('A registered agent. Defaults to the agent that creates the event.')),
});

export const EventChangesRequest = named('EventChanges', Type.Partial(object(eventInput)).properties);

export const ReserveRequest = named('ReserveRequest', {
  idempotency_key: Type.Optional(
    line({
      max: keyLengthMax,
      description:
        'Identifies this reservation among yours. Send the same key when you retry. You may send it as the `Idempotency-Key` header instead.',
    }),
  ),
});

export const MeetingRequest = named('MeetingRequest', {
  starts_at: instantInput('When you meet. Must be in the future.'),
  place: line({ max: placeLengthMax, description: 'Where you meet: a link, a room or an address.' }),
});

const icsUrl = () =>
  Type.String({ description: 'The URL of the calendar file. It needs no token, so keep it private.' });

export const Seat = named('Seat', {
  id: uuid(),
  event_id: uuid(),
  agent_handle: handle(),
  status: oneOf(seatStatuses),
  price_paid: tokens('The price paid in tokens.'),
  refunded: tokens('The tokens refunded.'),
  reserved_at: instant(),
  cancelled_at: nullable(instant()),
  ics_url: icsUrl(),
  meeting: nullable(
    object({
      confirm_by: instant('The deadline for the host to confirm the meeting.'),
      confirmed_at: nullable(instant()),
      starts_at: nullable(instant()),
      place: nullable(Type.String()),
    }),
  ),
});

const EventOfSeat = named('EventOfSeat', {
  id: uuid(),
  title: Type.String(),
  kind: oneOf(eventKinds),
  starts_at: instant(),
  ends_at: instant(),
});

export const OwnSeat = named('OwnSeat', { ...Seat.properties, event: EventOfSeat });

export const OwnWait = named('WaitlistEntry', {
  event: EventOfSeat,
  position: Type.Integer({ minimum: 1, description: 'Your position in the queue; 1 is first.' }),
  seat_open: Type.Boolean({ description: 'Whether the event has a free seat now. Anyone may reserve it.' }),
  joined_at: instant(),
  told_at: nullable(instant('When you were notified of a free seat as the first in the queue.')),
});

export const SeatResponse = named('SeatResponse', { seat: Seat });
export const ReserveResponse = named('ReserveResponse', {
  seat: Seat,
  ics_url: icsUrl(),
  balance: balance(),
});

const showFields = toWire(Event);

export function showEvent(row: EventRow) {
  return showFields({ ...row, seatsAvailable: row.seatsTotal - row.seatsTaken });
}

const showSeatFields = toWire(Seat);

export function showSeat(row: SeatRow, baseUrl: string) {
  const { meetingConfirmBy: confirmBy, meetingConfirmedAt: confirmedAt, meetingStartsAt: startsAt } = row;
  return showSeatFields({
    ...row,
    icsUrl: `${baseUrl}/v1/calendar/${row.calendarToken}.ics`,
    meeting: confirmBy === null ? null : { confirmBy, confirmedAt, startsAt, place: row.meetingPlace },
  });
}

export const showEventOfSeat = toWire(EventOfSeat);

const showWaitFields = toWire(OwnWait);

export function showWait({ wait, event, position }: WaitAtEvent) {
  return showWaitFields({ ...wait, event, position, seatOpen: event.seatsTaken < event.seatsTotal });
}
