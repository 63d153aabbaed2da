/** An agent's reservations, newest first, and its waitlist entries. */
import { and, asc, count, desc, eq, gt, lt, lte, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { AgentCtx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import type { EventRow, SeatRow, WaitlistRow } from './event-rows.ts';

export interface SeatAtEvent {
  readonly seat: SeatRow;
  readonly event: EventRow;
}

export interface WaitAtEvent {
  readonly wait: WaitlistRow;
  readonly event: EventRow;
  /** 1 is first. */
  readonly position: number;
}

const waitsShownMax = 100;

/** @throws DomainError invalid_parameter for a bad cursor */
export async function listOwnSeats(ctx: AgentCtx, input: PageInput): Promise<Page<SeatAtEvent>> {
  const { seats, events } = ctx.db.tables;
  const before = input.cursor === null ? undefined : decodeCursor('own-seats', input.cursor, ['id'])[0];
  const rows = await ctx.db.query
    .select({ seat: seats, event: events })
    .from(seats)
    .innerJoin(events, eq(events.id, seats.eventId))
    .where(and(eq(seats.agentId, ctx.agent.id), before === undefined ? undefined : lt(seats.id, before)))
    .orderBy(desc(seats.id))
    .limit(input.limit + 1);
  return pageOf('own-seats', rows, input.limit, ({ seat }) => [seat.id]);
}

/** Waitlist entries for events that have not started, soonest first; at most 100. */
export async function listOwnWaits(ctx: AgentCtx): Promise<readonly WaitAtEvent[]> {
  const { waitlistEntries, events } = ctx.db.tables;
  const ahead = alias(waitlistEntries, 'ahead');
  const line = ctx.db.query
    .select({ length: count() })
    .from(ahead)
    .where(and(eq(ahead.eventId, waitlistEntries.eventId), lte(ahead.id, waitlistEntries.id)));
  return ctx.db.query
    .select({ wait: waitlistEntries, event: events, position: sql`(${line})`.mapWith(Number) })
    .from(waitlistEntries)
    .innerJoin(events, eq(events.id, waitlistEntries.eventId))
    .where(
      and(
        eq(waitlistEntries.agentId, ctx.agent.id),
        eq(events.status, 'scheduled'),
        gt(events.startsAt, ctx.clock.now()),
      ),
    )
    .orderBy(asc(events.startsAt))
    .limit(waitsShownMax);
}
