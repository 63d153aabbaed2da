/** Every seat command and its reply, as they travel between processes. */
import type { EventRow, SeatRow } from '#domain/events/event-rows.ts';
import type { SeatCommand, SeatReply } from '#domain/events/seat-commands.ts';

const at = (minute: number) => new Date(Date.UTC(2030, 0, 1, 12, minute, 30, 7));
export const seatCommands: readonly SeatCommand[] = [
  { kind: 'reserve-seat', agentId: 'a', agentHandle: 'ada', key: 'k' },
  { kind: 'cancel-seat', agentId: 'a', key: null },
  { kind: 'cancel-seat', agentId: 'a', key: 'k' },
  { kind: 'join-waitlist', agentId: 'a' },
  { kind: 'withdraw-agent', agentId: 'a' },
  { kind: 'cancel-event' },
  { kind: 'change-event', changes: {} },
  { kind: 'change-event', changes: { startsAt: at(1) } },
  {
    kind: 'change-event',
    changes: {
      title: 't',
      description: 'd',
      presenter: 'p',
      host: { agentId: 'a', handle: 'ada' },
      endsAt: at(2),
      seatsTotal: 3,
      tokenPrice: 4,
    },
  },
  { kind: 'confirm-meeting', seatId: 's', startsAt: at(3), place: 'here', agentId: 'a', isMaintainer: true },
];

const seat: SeatRow = {
  id: 's',
  eventId: 'e',
  agentId: 'a',
  agentHandle: 'ada',
  status: 'cancelled',
  idempotencyKey: 'k',
  cancelledBy: 'c',
  pricePaid: 1,
  refunded: 1,
  reservedAt: at(1),
  cancelledAt: at(2),
  calendarToken: 't',
  calendarSequence: 2,
  meetingConfirmBy: at(3),
  meetingConfirmedAt: at(4),
  meetingStartsAt: at(5),
  meetingPlace: 'here',
};
const early: SeatRow = {
  ...seat,
  status: 'reserved',
  cancelledBy: null,
  cancelledAt: null,
  meetingConfirmBy: null,
  meetingConfirmedAt: null,
  meetingStartsAt: null,
  meetingPlace: null,
};
const event: EventRow = {
  id: 'e',
  kind: 'office_hours',
  title: 't',
  description: 'd',
  presenter: 'p',
  hostAgentId: 'a',
  hostHandle: 'ada',
  startsAt: at(1),
  endsAt: at(2),
  seatsTotal: 4,
  seatsTaken: 1,
  waitlistCount: 2,
  tokenPrice: 3,
  status: 'scheduled',
  calendarSequence: 1,
  epoch: 5,
  createdAt: at(3),
  changedAt: at(4),
};
export const seatReplies: readonly (readonly [SeatCommand['kind'], SeatReply])[] = [
  ['reserve-seat', { seat: early, balance: 2, replayed: false }],
  ['cancel-seat', { seat, refunded: 1, balance: 2 }],
  ['join-waitlist', { position: 3 }],
  ['change-event', { event }],
  ['cancel-event', { event: { ...event, status: 'cancelled' } }],
  ['confirm-meeting', { seat: early }],
  ['withdraw-agent', { released: true }],
];
