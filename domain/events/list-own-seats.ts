/** An agent's reservations, newest first, and its waitlist entries. */
import { and, asc, count, eq, gt, lte, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { AgentCtx } from '../context.ts';
import { newestFirst, type Page, type PageInput } from '../paging.ts';
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
export function listOwnSeats({ db, agent }: AgentCtx, input: PageInput): Promise<Page<SeatAtEvent>> {
  const { seats, events } = db.tables;
  return newestFirst('own-seats', input, seats.id, (isOnPage) =>
    db.query
      .select({ id: seats.id, seat: seats, event: events })
      .from(seats)
      .innerJoin(events, eq(events.id, seats.eventId))
      .where(and(eq(seats.agentId, agent.id), isOnPage)),
  );
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
