/**
 * Mails the host of office hours about each booking, which the host has to confirm. Agents have no mail
 * address, so the mail goes to the team that runs the hub (`CONTACT_TO`), and names the host.
 */
import type { TransactionCtx } from '../context.ts';
import { sendMails } from '../mail/send-mail.ts';
import type { EventRow, SeatRow } from './event-rows.ts';
import type { EventState } from './event-state.ts';

/**
 * One mail per booking that is still reserved at the end of the batch; none without a configured address.
 */
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
      // The title may contain characters that are invalid in a subject.
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
