/** Cancels an agent's seat; refunds it when the start is far enough away (interface.md, behaviour note 3). */
import { refundWindowMs } from '../event-limits.ts';
import { requireNotStarted, seatNotFound } from '../event-refusals.ts';
import type { OpenEvent, SeatBooks } from '../seat-books.ts';
import type { CancelSeatCommand, SeatReplies } from '../seat-commands.ts';

/**
 * @param commandId names the command when the agent gave it no key
 * @throws DomainError seat_not_found, event_started
 */
export function cancelSeat(
  books: SeatBooks,
  event: OpenEvent,
  { agentId, key }: CancelSeatCommand,
  commandId: string,
): SeatReplies['cancel-seat'] {
  const cancelledBy = key ?? commandId;
  const earlier = books.seatCancelledBy(event.id, agentId, cancelledBy);
  if (earlier !== null) {
    // The command came a second time: it is answered as it was the first time, whatever the agent has reserved since.
    return { seat: { ...earlier }, refunded: earlier.refunded, balance: books.balance(agentId) };
  }
  const seat = books.liveSeat(event.id, agentId);
  if (seat === null) throw seatNotFound('You hold no seat at this event.');
  requireNotStarted(event, books.now);
  // Exactly 24 hours before the start is not "more than 24 hours".
  const refund = event.startsAt.getTime() - books.now.getTime() > refundWindowMs;
  const freed = books.free(seat, { refund, cancelledBy, reason: 'Seat cancelled' });
  books.tellFirstInLine(event.id);
  return { seat: { ...freed }, refunded: freed.refunded, balance: books.balance(agentId) };
}
