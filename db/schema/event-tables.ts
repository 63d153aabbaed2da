/** Events, the seats of agents at them, and the waitlists. */
import { isNotNull, sql } from 'drizzle-orm';
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';
import { isLongEvent, isReservedSeat, isUnconfirmedSeat } from './index-conditions.ts';

export const eventKinds = ['workshop', 'office_hours'] as const;
export type EventKind = (typeof eventKinds)[number];
export const eventStatuses = ['scheduled', 'cancelled'] as const;
export type EventStatus = (typeof eventStatuses)[number];
export const seatStatuses = ['reserved', 'cancelled'] as const;
export type SeatStatus = (typeof seatStatuses)[number];

export function makeEventTables(kit: ColumnKit, agents: AgentsTable) {
  const events = kit.table(
    'events',
    {
      id: kit.id('id').primaryKey(),
      kind: kit.text('kind').$type<EventKind>().notNull(),
      title: kit.text('title').notNull(),
      description: kit.text('description').notNull(),
      presenter: kit.text('presenter').notNull(),
      hostAgentId: kit.reference('host_agent_id', () => agents.id),
      /** A copy, since handles never change. */
      hostHandle: kit.text('host_handle').notNull(),
      startsAt: kit.instant('starts_at').notNull(),
      endsAt: kit.instant('ends_at').notNull(),
      seatsTotal: kit.integer('seats_total').notNull(),
      /** Number of reserved seats. */
      seatsTaken: kit.integer('seats_taken').notNull(),
      /** Number of agents on the waitlist. */
      waitlistCount: kit.integer('waitlist_count').notNull(),
      tokenPrice: kit.integer('token_price').notNull(),
      status: kit.text('status').$type<EventStatus>().notNull(),
      /** Every change that a calendar shows raises it. */
      calendarSequence: kit.integer('calendar_sequence').notNull(),
      /** Every activation of the event's actor raises it. Only the latest may write (the fence). */
      epoch: kit.integer('epoch').notNull(),
      createdAt: kit.instant('created_at').notNull(),
      /** When it was last changed or cancelled; null if it never was. */
      changedAt: kit.instant('changed_at'),
    },
    (t) => [
      kit.check('events_seats_in_range', sql`${t.seatsTaken} >= 0 and ${t.seatsTaken} <= ${t.seatsTotal}`),
      kit.check('events_price_not_negative', sql`${t.tokenPrice} >= 0`),
      kit.check('events_end_after_start', sql`${t.endsAt} > ${t.startsAt}`),
      // The end tells upcoming events from past ones without a look at each row that began in the last month.
      kit.index('events_by_start').on(t.startsAt, t.id, t.endsAt),
      // Only these may have begun more than a day ago and still be upcoming.
      kit.index('long_events_by_start').on(t.startsAt, t.id, t.endsAt).where(isLongEvent(t, kit.dialect)),
      kit.index('events_by_host').on(t.hostAgentId),
    ],
  );

  const seats = kit.table(
    'seats',
    {
      id: kit.id('id').primaryKey(),
      eventId: kit.auditedReference('event_id', () => events.id),
      agentId: kit.auditedReference('agent_id', () => agents.id),
      agentHandle: kit.text('agent_handle').notNull(),
      status: kit.text('status').$type<SeatStatus>().notNull(),
      /** Identifies the reservation within its agent, whatever happens to the seat. */
      idempotencyKey: kit.text('idempotency_key').notNull(),
      /**
       * The command that cancelled the seat. If it is repeated, it gets the same reply and cancels nothing
       * else.
       */
      cancelledBy: kit.text('cancelled_by'),
      pricePaid: kit.integer('price_paid').notNull(),
      refunded: kit.integer('refunded').notNull(),
      reservedAt: kit.instant('reserved_at').notNull(),
      cancelledAt: kit.instant('cancelled_at'),
      /** The unguessable part of the public URL of the seat's calendar file. */
      calendarToken: kit.text('calendar_token').notNull().unique('seats_calendar_token_unique'),
      /** Every change to the seat that a calendar shows raises it. Adds to the event's. */
      calendarSequence: kit.integer('calendar_sequence').notNull(),
      /** The four meeting columns are for office hours only. */
      meetingConfirmBy: kit.instant('meeting_confirm_by'),
      meetingConfirmedAt: kit.instant('meeting_confirmed_at'),
      meetingStartsAt: kit.instant('meeting_starts_at'),
      meetingPlace: kit.text('meeting_place'),
    },
    (t) => [
      kit.uniqueIndex('seats_idempotency_key_unique').on(t.agentId, t.idempotencyKey),
      kit.uniqueIndex('seats_one_live_unique').on(t.eventId, t.agentId).where(isReservedSeat(t)),
      kit
        .uniqueIndex('seats_cancelled_by_unique')
        .on(t.agentId, t.cancelledBy, t.eventId)
        .where(isNotNull(t.cancelledBy)),
      kit.index('seats_by_agent').on(t.agentId, t.id),
      kit.index('seats_by_event').on(t.eventId, t.id),
      kit.index('seats_unconfirmed').on(t.eventId, t.meetingConfirmBy).where(isUnconfirmedSeat(t)),
      kit.check('seats_refund_in_range', sql`${t.refunded} >= 0 and ${t.refunded} <= ${t.pricePaid}`),
    ],
  );

  const waitlistEntries = kit.table(
    'waitlist_entries',
    {
      /** Rises with the time of joining, so it orders the waitlist. */
      id: kit.id('id').primaryKey(),
      eventId: kit.reference('event_id', () => events.id),
      agentId: kit.reference('agent_id', () => agents.id),
      joinedAt: kit.instant('joined_at').notNull(),
      /** When the agent was notified of a free seat. */
      toldAt: kit.instant('told_at'),
    },
    (t) => [
      kit.uniqueIndex('waitlist_entries_agent_unique').on(t.eventId, t.agentId),
      kit.index('waitlist_entries_by_agent').on(t.agentId),
    ],
  );

  /** When an email about an agent's bookings at an event was last sent. */
  const bookingNotices = kit.table(
    'booking_notices',
    {
      eventId: kit.reference('event_id', () => events.id),
      agentId: kit.reference('agent_id', () => agents.id),
      sentAt: kit.instant('sent_at').notNull(),
    },
    (t) => [kit.primaryKey({ columns: [t.eventId, t.agentId] })],
  );

  return { events, seats, waitlistEntries, bookingNotices };
}
