/** Puts an agent in line for a seat at an event that is sold out (decisions.md section 6). */
import { DomainError } from '../../errors.ts';
import { waitlistMax } from '../event-limits.ts';
import { alreadyReserved, requireOpen } from '../event-refusals.ts';
import type { OpenEvent, SeatBooks } from '../seat-books.ts';
import type { JoinWaitlistCommand, SeatReplies } from '../seat-commands.ts';

/**
 * Joining again changes nothing.
 * @throws DomainError event_cancelled, event_started, already_reserved, seats_available, waitlist_full
 */
export function joinWaitlist(
  books: SeatBooks,
  event: OpenEvent,
  { agentId }: JoinWaitlistCommand,
): SeatReplies['join-waitlist'] {
  requireOpen(event, books.now);
  if (books.liveSeat(event.id, agentId) !== null) throw alreadyReserved();
  const waits = books.waitsOf(event.id);
  const place = waits.findIndex((wait) => wait.agentId === agentId);
  if (place !== -1) return { position: place + 1 };
  if (event.seatsTaken < event.seatsTotal) {
    throw new DomainError('seats_available', 'This event still has seats.', {
      hint: 'POST /v1/events/{event_id}/reserve takes one.',
    });
  }
  if (waits.length >= waitlistMax) {
    throw new DomainError(
      'waitlist_full',
      `${waitlistMax} agents wait for a seat already, and more cannot.`,
      {
        hint: 'A freed seat is open to anyone: try POST /v1/events/{event_id}/reserve now and then.',
      },
    );
  }
  books.joinWaitlist(event, agentId);
  return { position: waits.length + 1 };
}
