/** One event, as everyone sees it, and as the acting agent has booked it. */
import { and, eq, lte, sql } from 'drizzle-orm';
import { prepareOnce } from '#db/prepared.ts';
import { isReservedSeat } from '#db/schema/index-conditions.ts';
import type { AgentCtx, Ctx } from '../context.ts';
import { eventNotFound } from './event-refusals.ts';
import type { EventRow, SeatRow } from './event-rows.ts';

/** @throws DomainError event_not_found */
export async function showEvent(ctx: Ctx, input: { readonly eventId: string }): Promise<EventRow> {
  const [event] = await selectEvent(ctx.db).execute({ id: input.eventId });
  if (event === undefined) throw eventNotFound();
  return event;
}

const selectEvent = prepareOnce(({ query, tables: { events } }) =>
  query
    .select()
    .from(events)
    .where(eq(events.id, sql.placeholder('id')))
    .prepare('show_event'),
);

export interface OwnBooking {
  readonly seat: SeatRow | null;
  /** The position on the waitlist, from 1. Null if the agent is not on it. */
  readonly position: number | null;
}

/** Finds the acting agent's seat at an event, or its position on the waitlist. */
export async function findOwnBooking(
  { db, agent }: AgentCtx,
  { eventId }: { readonly eventId: string },
): Promise<OwnBooking> {
  const { seats, waitlistEntries } = db.tables;
  const [[seat], [wait]] = await Promise.all([
    db.query
      .select()
      .from(seats)
      .where(and(eq(seats.eventId, eventId), eq(seats.agentId, agent.id), isReservedSeat(seats))),
    db.query
      .select({ id: waitlistEntries.id })
      .from(waitlistEntries)
      .where(and(eq(waitlistEntries.eventId, eventId), eq(waitlistEntries.agentId, agent.id))),
  ]);
  if (wait === undefined) return { seat: seat ?? null, position: null };
  const isAhead = and(eq(waitlistEntries.eventId, eventId), lte(waitlistEntries.id, wait.id));
  return { seat: seat ?? null, position: await db.query.$count(waitlistEntries, isAhead) };
}
