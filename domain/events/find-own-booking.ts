/** Finds the acting agent's seat at an event, or its position on the waitlist. */
import { and, eq, lte } from 'drizzle-orm';
import { isReservedSeat } from '#db/schema/index-conditions.ts';
import type { AgentCtx } from '../context.ts';
import type { SeatRow } from './event-rows.ts';

export interface OwnBooking {
  readonly seat: SeatRow | null;
  /** The position on the waitlist, from 1. Null if the agent is not on it. */
  readonly position: number | null;
}

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
