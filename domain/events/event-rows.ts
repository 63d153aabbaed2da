/** The rows of events, seats and waitlists, and schemas of the rows that seat commands return. */
import { Type } from 'typebox';
import type { Tables } from '#db/schema/make-schema.ts';
import { Instant } from '#runtime/json-reader.ts';
import { nullable } from '#runtime/schema-parts.ts';

export type EventRow = Tables['events']['$inferSelect'];
export type SeatRow = Tables['seats']['$inferSelect'];
export type WaitlistRow = Tables['waitlistEntries']['$inferSelect'];

export const eventRowSchema = Type.Object({
  id: Type.String(),
  kind: Type.Enum(['workshop', 'office_hours']),
  title: Type.String(),
  description: Type.String(),
  presenter: Type.String(),
  hostAgentId: Type.String(),
  hostHandle: Type.String(),
  startsAt: Instant(),
  endsAt: Instant(),
  seatsTotal: Type.Integer(),
  seatsTaken: Type.Integer(),
  waitlistCount: Type.Integer(),
  tokenPrice: Type.Integer(),
  status: Type.Enum(['scheduled', 'cancelled']),
  calendarSequence: Type.Integer(),
  epoch: Type.Integer(),
  createdAt: Instant(),
  changedAt: nullable(Instant()),
});

export const seatRowSchema = Type.Object({
  id: Type.String(),
  eventId: Type.String(),
  agentId: Type.String(),
  agentHandle: Type.String(),
  status: Type.Enum(['reserved', 'cancelled']),
  idempotencyKey: Type.String(),
  cancelledBy: nullable(Type.String()),
  pricePaid: Type.Integer(),
  refunded: Type.Integer(),
  reservedAt: Instant(),
  cancelledAt: nullable(Instant()),
  calendarToken: Type.String(),
  calendarSequence: Type.Integer(),
  meetingConfirmBy: nullable(Instant()),
  meetingConfirmedAt: nullable(Instant()),
  meetingStartsAt: nullable(Instant()),
  meetingPlace: nullable(Type.String()),
});
