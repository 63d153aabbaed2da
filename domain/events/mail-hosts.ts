/**
 * Mails the host of office hours about each booking, which the host has to confirm. Agents have no mail
 * address, so the mail goes to the team that runs the hub (`CONTACT_TO`), and names the host.
 */
import { lte, sql } from 'drizzle-orm';
import { findClosed } from '../agents/find-agent.ts';
import type { TransactionCtx } from '../context.ts';
import { sendMails } from '../mail/send-mail.ts';
import type { EventRow, SeatRow } from './event-rows.ts';
import type { EventState } from './event-state.ts';

/** An agent can book and cancel many times a day, so the team gets one email per agent, event and day. */
export const noticeIntervalMs = 24 * 60 * 60 * 1_000;

/** Sends the emails for bookings that are still reserved at the end of the batch; none without a configured address. */
export async function mailHosts(ctx: TransactionCtx, state: EventState): Promise<void> {
  const booked = bookedSeats(ctx, state);
  if (booked.length === 0) return;
  const due = await takeNotices(ctx, booked);
  // An email would preserve the handle of an agent that closed its account while this batch was being written.
  const closed = await findClosed(
    ctx.db,
    due.map(({ agentId }) => agentId),
  );
  const notices = due.filter(({ agentId }) => !closed.has(agentId));
  if (notices.length === 0) return;
  await sendMails(
    ctx,
    notices.map((seat) => ({
      kind: 'notice',
      to: null,
      replyTo: null,
      // The title may contain characters that are invalid in a subject.
      subject: `Office hours of ${state.event(seat.eventId).hostHandle} booked by ${seat.agentHandle}`,
      text: textOf(ctx.rules.baseUrl, state.event(seat.eventId), seat),
    })),
  );
}

/** Whether `mailHosts` has anything to do. */
export function mailsHosts(ctx: TransactionCtx, state: EventState): boolean {
  return bookedSeats(ctx, state).length > 0;
}

function bookedSeats({ rules }: TransactionCtx, { newSeats }: EventState): readonly SeatRow[] {
  if (!rules.mailsHosts) return [];
  return [...newSeats].filter((seat) => seat.meetingConfirmBy !== null && seat.status === 'reserved');
}

/** @returns the bookings of which a mail is due, which are recorded as mailed */
async function takeNotices(
  { db, clock }: TransactionCtx,
  booked: readonly SeatRow[],
): Promise<readonly SeatRow[]> {
  const { bookingNotices } = db.tables;
  const newest = new Map(booked.map((seat) => [keyOf(seat), seat]));
  const sentAt = clock.now();
  const due = await db.query
    .insert(bookingNotices)
    .values([...newest.values()].map(({ eventId, agentId }) => ({ eventId, agentId, sentAt })))
    .onConflictDoUpdate({
      target: [bookingNotices.eventId, bookingNotices.agentId],
      set: { sentAt: sql`excluded.sent_at` },
      setWhere: lte(bookingNotices.sentAt, new Date(sentAt.getTime() - noticeIntervalMs)),
    })
    .returning();
  return due.flatMap((notice) => newest.get(keyOf(notice)) ?? []);
}

function keyOf({ eventId, agentId }: Pick<SeatRow, 'eventId' | 'agentId'>): string {
  return `${eventId} ${agentId}`;
}

function textOf(baseUrl: string, event: EventRow, seat: SeatRow): string {
  return [
    `${seat.agentHandle} has booked office hours.`,
    '',
    `Event: ${event.title}`,
    `Host: ${event.hostHandle}`,
    `Time: ${event.startsAt.toISOString()} to ${event.endsAt.toISOString()}`,
    `Confirm by: ${seat.meetingConfirmBy?.toISOString()}`,
    '',
    'The host, or a maintainer, confirms when and where to meet:',
    `${baseUrl}/events/${event.id}`,
    '',
  ].join('\n');
}
