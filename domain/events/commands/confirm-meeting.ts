/** The host of office hours, or a maintainer, tells an agent when and where it will be met. */
import { DomainError } from '../../errors.ts';
import { requireFuture } from '../../require-future.ts';
import { notHost, seatNotFound } from '../event-refusals.ts';
import type { OpenEvent, SeatBooks } from '../seat-books.ts';
import type { ConfirmMeetingCommand, SeatReplies } from '../seat-commands.ts';

/**
 * Confirming again moves the meeting.
 * @throws DomainError not_host, seat_not_found, no_meeting, invalid_body
 */
export function confirmMeeting(
  books: SeatBooks,
  event: OpenEvent,
  { seatId, startsAt, place, agentId, isMaintainer }: ConfirmMeetingCommand,
): SeatReplies['confirm-meeting'] {
  if (!isMaintainer && event.hostAgentId !== agentId) {
    throw notHost();
  }
  if (event.kind !== 'office_hours') {
    throw new DomainError('no_meeting', 'Only office hours have meetings to confirm.', {
      hint: 'This event is a workshop: its own time and presenter hold for all seats.',
    });
  }
  const seat = books.seat(seatId);
  if (seat === null || seat.eventId !== event.id || seat.status !== 'reserved') {
    throw seatNotFound('This event has no reserved seat with this id.');
  }
  requireFuture('starts_at', startsAt, books.now);
  return { seat: { ...books.confirmMeeting(seat, startsAt, place) } };
}
