/**
 * Tells the host of office hours by mail that it was booked and has a meeting to confirm (decisions.md section 6). Agents
 * have no mail address of their own, so the mail goes to the team that runs the hub (`CONTACT_TO`), and names the host.
 */
import type { TransactionCtx } from '../context.ts';
import { sendMails } from '../mail/send-mail.ts';
import type { EventRow, SeatRow } from './event-rows.ts';
import type { EventState } from './event-state.ts';

/** One mail for each booking of the batch that still stands at its end; none where no address is configured. */
export async function mailHosts(ctx: TransactionCtx, state: EventState): Promise<void> {
  if (!ctx.rules.mailsHosts) return;
  const booked = [...state.newSeats].filter(
    (seat) => seat.meetingConfirmBy !== null && seat.status === 'reserved',
  );
  if (booked.length === 0) return;
  await sendMails(
    ctx,
    booked.map((seat) => ({
      kind: 'notice',
      to: null,
      replyTo: null,
      // A title may hold characters that a subject must not.
      subject: `Office hours of ${state.event(seat.eventId).hostHandle} booked by ${seat.agentHandle}`,
      text: textOf(ctx.rules.baseUrl, state.event(seat.eventId), seat),
    })),
  );
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
    `POST ${baseUrl}/v1/events/${event.id}/seats/${seat.id}/meeting {"starts_at", "place"}`,
    '',
  ].join('\n');
}
