/**
 * Decides which bookings of office hours are mailed. An agent can book and cancel many times a day, so the team
 * gets one email per agent, event and day; the next one lists what was booked since.
 */
import { and, desc, gt, inArray, notInArray, sql } from 'drizzle-orm';
import type { TransactionCtx } from '../context.ts';
import type { SeatRow } from './event-rows.ts';

interface BookingNotice {
  /** The newest booking of one agent at one event. */
  readonly seat: SeatRow;
  /** What the agent booked there since the last mail, newest first. */
  readonly earlier: readonly SeatRow[];
}

export const noticeIntervalMs = 24 * 60 * 60 * 1_000;
/** The total over all notices of a batch. */
const earlierMax = 200;

/** Picks the notices that are due and records that they are sent. */
export async function takeBookingNotices(
  ctx: TransactionCtx,
  booked: readonly SeatRow[],
): Promise<readonly BookingNotice[]> {
  const { bookingNotices } = ctx.db.tables;
  const now = ctx.clock.now();
  const newest = new Map(booked.map((seat) => [keyOf(seat), seat]));
  const known = await ctx.db.query
    .select()
    .from(bookingNotices)
    .where(
      and(
        inArray(bookingNotices.eventId, [...new Set(booked.map(({ eventId }) => eventId))]),
        inArray(bookingNotices.agentId, [...new Set(booked.map(({ agentId }) => agentId))]),
      ),
    );
  const sentAt = new Map(known.map((notice) => [keyOf(notice), notice.sentAt]));
  const due = [...newest.values()].filter((seat) => {
    const last = sentAt.get(keyOf(seat));
    return last === undefined || now.getTime() - last.getTime() >= noticeIntervalMs;
  });
  if (due.length === 0) return [];
  const again = due.filter((seat) => sentAt.has(keyOf(seat)));
  const earlier = Map.groupBy(await findEarlier(ctx, again, booked, sentAt), keyOf);
  await ctx.db.query
    .insert(bookingNotices)
    .values(due.map(({ eventId, agentId }) => ({ eventId, agentId, sentAt: now })))
    .onConflictDoUpdate({
      target: [bookingNotices.eventId, bookingNotices.agentId],
      set: { sentAt: sql`excluded.sent_at` },
    });
  return due.map((seat) => ({ seat, earlier: earlier.get(keyOf(seat)) ?? [] }));
}

async function findEarlier(
  { db }: TransactionCtx,
  again: readonly SeatRow[],
  booked: readonly SeatRow[],
  sentAt: ReadonlyMap<string, Date>,
): Promise<readonly SeatRow[]> {
  if (again.length === 0) return [];
  const { seats } = db.tables;
  const since = Math.min(...again.map((seat) => sentAt.get(keyOf(seat))?.getTime() ?? Infinity));
  const rows = await db.query
    .select()
    .from(seats)
    .where(
      and(
        inArray(seats.eventId, [...new Set(again.map(({ eventId }) => eventId))]),
        inArray(seats.agentId, [...new Set(again.map(({ agentId }) => agentId))]),
        gt(seats.reservedAt, new Date(since)),
        notInArray(
          seats.id,
          booked.map(({ id }) => id),
        ),
      ),
    )
    .orderBy(desc(seats.id))
    .limit(earlierMax);
  return rows.filter((seat) => seat.reservedAt > (sentAt.get(keyOf(seat)) ?? seat.reservedAt));
}

function keyOf({ eventId, agentId }: { readonly eventId: string; readonly agentId: string }): string {
  return `${eventId} ${agentId}`;
}
