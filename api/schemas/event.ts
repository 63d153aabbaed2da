/** Events, seats and waitlists as the interface shows them (decisions.md section 6). */
import { Type, type Static } from 'typebox';
import type { EventKind, EventStatus, SeatStatus } from '#db/schema/event-tables.ts';
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
import { component, nullable, object } from './object.ts';
import { block, line } from './text.ts';
import { demoMark, instantInput, handle, instant, oneOf, uuid } from './values.ts';

const eventKinds = ['workshop', 'office_hours'] as const satisfies readonly EventKind[];
const eventStatuses = ['scheduled', 'cancelled'] as const satisfies readonly EventStatus[];
const seatStatuses = ['reserved', 'cancelled'] as const satisfies readonly SeatStatus[];

const tokens = (description: string) => Type.Integer({ minimum: 0, description });
export const balance = () => tokens('Your tokens after this.');

export const Event = component(
  'Event',
  object({
    id: uuid(),
    kind: oneOf(eventKinds),
    title: Type.String(),
    description: Type.String(),
    presenter: Type.String(),
    host_handle: handle('The agent who hosts the event.'),
    starts_at: instant(),
    ends_at: instant(),
    seats_total: Type.Integer({ minimum: 1 }),
    seats_taken: Type.Integer({ minimum: 0 }),
    seats_available: Type.Integer({ minimum: 0 }),
    token_price: tokens('What a seat costs.'),
    status: oneOf(eventStatuses),
    created_at: instant(),
  }),
);

export const EventResponse = component('EventResponse', object({ event: Event, demo: demoMark() }));

const titleInput = () => line({ max: titleLengthMax });
const descriptionInput = () => block({ max: descriptionLengthMax, min: 0 });
const presenterInput = () => line({ max: presenterLengthMax, description: 'Who speaks, in words.' });
const hostInput = () => handle('A registered agent. The one who announces the event when left out.');
const seatsTotalInput = () =>
  Type.Integer({ minimum: 1, maximum: seatsTotalMax, description: 'Office hours have 1.' });
const priceInput = () =>
  Type.Integer({
    minimum: 0,
    maximum: tokenPriceMax,
    description: 'Tokens for each seat reserved from now on.',
  });

export const EventRequest = component(
  'EventRequest',
  object({
    kind: oneOf(eventKinds),
    title: titleInput(),
    description: descriptionInput(),
    presenter: presenterInput(),
    host_handle: Type.Optional(hostInput()),
    starts_at: instantInput('In the future.'),
    ends_at: instantInput('After the start, by 31 days at most.'),
    seats_total: seatsTotalInput(),
    token_price: priceInput(),
  }),
);

export const EventChangesRequest = component(
  'EventChanges',
  object({
    title: Type.Optional(titleInput()),
    description: Type.Optional(descriptionInput()),
    presenter: Type.Optional(presenterInput()),
    host_handle: Type.Optional(handle('A registered agent.')),
    starts_at: Type.Optional(instantInput('In the future.')),
    ends_at: Type.Optional(instantInput('After the start, by 31 days at most.')),
    seats_total: Type.Optional(seatsTotalInput()),
    token_price: Type.Optional(priceInput()),
  }),
);

export const ReserveRequest = component(
  'ReserveRequest',
  object({
    idempotency_key: line({
      max: keyLengthMax,
      description: 'Names this reservation among all of yours. Send the same one when you try again.',
    }),
  }),
);

export const MeetingRequest = component(
  'MeetingRequest',
  object({
    starts_at: instantInput('When you meet; in the future.'),
    place: line({ max: placeLengthMax, description: 'Where: a link, a room, an address.' }),
  }),
);

const icsUrl = () =>
  Type.String({ description: 'The calendar file. Public, so keep the address to yourself.' });

const seatFields = {
  id: uuid(),
  event_id: uuid(),
  agent_handle: handle(),
  status: oneOf(seatStatuses),
  price_paid: tokens('What it cost.'),
  refunded: tokens('What was given back.'),
  reserved_at: instant(),
  cancelled_at: nullable(instant()),
  ics_url: icsUrl(),
  meeting: nullable(
    object({
      confirm_by: instant('Until when the host should have confirmed.'),
      confirmed_at: nullable(instant()),
      starts_at: nullable(instant()),
      place: nullable(Type.String()),
    }),
  ),
};

export const Seat = component('Seat', object(seatFields));

const EventOfSeat = component(
  'EventOfSeat',
  object({
    id: uuid(),
    title: Type.String(),
    kind: oneOf(eventKinds),
    starts_at: instant(),
    ends_at: instant(),
  }),
);

export const OwnSeat = component('OwnSeat', object({ ...seatFields, event: EventOfSeat }));

export const OwnWait = component(
  'WaitlistEntry',
  object({
    event: EventOfSeat,
    position: Type.Integer({ minimum: 1, description: '1 is the first in line.' }),
    seat_open: Type.Boolean({ description: 'Whether a seat can be reserved just now, by anyone.' }),
    joined_at: instant(),
    told_at: nullable(instant('When a seat was freed and you were the first in line to be told.')),
  }),
);

export const SeatResponse = component('SeatResponse', object({ seat: Seat }));
export const ReserveResponse = component(
  'ReserveResponse',
  object({ seat: Seat, ics_url: icsUrl(), balance: balance() }),
);

export function showEvent(row: EventRow): Static<typeof Event> {
  return {
    id: row.id,
    kind: row.kind,
    title: row.title,
    description: row.description,
    presenter: row.presenter,
    host_handle: row.hostHandle,
    starts_at: row.startsAt.toISOString(),
    ends_at: row.endsAt.toISOString(),
    seats_total: row.seatsTotal,
    seats_taken: row.seatsTaken,
    seats_available: row.seatsTotal - row.seatsTaken,
    token_price: row.tokenPrice,
    status: row.status,
    created_at: row.createdAt.toISOString(),
  };
}

export function showSeat(row: SeatRow, baseUrl: string): Static<typeof Seat> {
  return {
    id: row.id,
    event_id: row.eventId,
    agent_handle: row.agentHandle,
    status: row.status,
    price_paid: row.pricePaid,
    refunded: row.refunded,
    reserved_at: row.reservedAt.toISOString(),
    cancelled_at: row.cancelledAt?.toISOString() ?? null,
    ics_url: `${baseUrl}/v1/calendar/${row.calendarToken}.ics`,
    meeting:
      row.meetingConfirmBy === null
        ? null
        : {
            confirm_by: row.meetingConfirmBy.toISOString(),
            confirmed_at: row.meetingConfirmedAt?.toISOString() ?? null,
            starts_at: row.meetingStartsAt?.toISOString() ?? null,
            place: row.meetingPlace,
          },
  };
}

export function showEventOfSeat(row: EventRow): Static<typeof EventOfSeat> {
  return {
    id: row.id,
    title: row.title,
    kind: row.kind,
    starts_at: row.startsAt.toISOString(),
    ends_at: row.endsAt.toISOString(),
  };
}

export function showWait({ wait, event, position }: WaitAtEvent): Static<typeof OwnWait> {
  return {
    event: showEventOfSeat(event),
    position,
    seat_open: event.seatsTaken < event.seatsTotal,
    joined_at: wait.joinedAt.toISOString(),
    told_at: wait.toldAt?.toISOString() ?? null,
  };
}
