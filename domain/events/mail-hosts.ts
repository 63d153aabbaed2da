/**
 * Mails the host of office hours about each booking, which the host has to confirm. Agents have no mail
 * address, so the mail goes to the team that runs the hub (`CONTACT_TO`), and names the host.
 */
import { findClosed } from '../agents/find-agent.ts';
import type { TransactionCtx } from '../context.ts';
import { sendMails } from '../mail/send-mail.ts';
import { takeBookingNotices } from './booking-notices.ts';
import type { EventRow, SeatRow } from './event-rows.ts';
import type { EventState } from './event-state.ts';

/**
 * Sends one email per agent, event and day, for bookings that are still reserved at the end of the batch; none without
 * a configured address.
 */
export async function mailHosts(ctx: TransactionCtx, state: EventState): Promise<void> {
  const booked = bookedSeats(ctx, state);
  if (booked.length === 0) return;
  const due = await takeBookingNotices(ctx, booked);
  // An email would preserve the handle of an agent that closed its account while this batch was being written.
  const closed = await findClosed(
    ctx.db,
    due.map(({ seat }) => seat.agentId),
  );
  const notices = due.filter(({ seat }) => !closed.has(seat.agentId));
  if (notices.length === 0) return;
  await sendMails(
    ctx,
    notices.map(({ seat, earlier }) => ({
      kind: 'notice',
      to: null,
      replyTo: null,
      // The title may contain characters that are invalid in a subject.
      subject: subjectOf(state.event(seat.eventId).hostHandle, seat.agentHandle),
      text: textOf(ctx.rules.baseUrl, state.event(seat.eventId), seat, earlier),
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

function subjectOf(host: string, agent: string): string {
  return `Office hours of ${host} booked by ${agent}`;
}

function textOf(baseUrl: string, event: EventRow, seat: SeatRow, earlier: readonly SeatRow[]): string {
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
    ...(earlier.length === 0 ? [] : listOf(earlier)),
  ].join('\n');
}

function listOf(earlier: readonly SeatRow[]): readonly string[] {
  return [
    'Booked since the last mail about this agent and event:',
    ...earlier.map(({ reservedAt, status }) => `${reservedAt.toISOString()} (${status})`),
    '',
  ];
}
