/** Reserves a seat, once for each key, at the event's price (interface.md, "Seats"; decisions.md section 6). */
import { DomainError } from '../../errors.ts';
import { alreadyReserved, requireOpen } from '../event-refusals.ts';
import type { OpenEvent, SeatBooks } from '../seat-books.ts';
import type { ReserveSeatCommand, SeatReplies } from '../seat-commands.ts';

/**
 * @throws DomainError idempotency_key_reused, event_cancelled, event_started, already_reserved, sold_out,
 * insufficient_tokens; nothing has changed then
 */
export function reserveSeat(
  books: SeatBooks,
  event: OpenEvent,
  { agentId, agentHandle, key }: ReserveSeatCommand,
): SeatReplies['reserve-seat'] {
  const earlier = books.seatOfKey(agentId, key);
  if (earlier !== null) {
    if (earlier.eventId !== event.id) throw keyReused();
    return { seat: { ...earlier }, balance: books.balance(agentId), replayed: true };
  }
  requireOpen(event, books.now);
  if (books.liveSeat(event.id, agentId) !== null) throw alreadyReserved();
  if (event.seatsTaken >= event.seatsTotal) throw soldOut(event);
  const seat = books.take(event, { id: agentId, handle: agentHandle }, key);
  books.leaveWaitlist(event, agentId);
  return { seat: { ...seat }, balance: books.balance(agentId), replayed: false };
}

function keyReused(): DomainError {
  return new DomainError(
    'idempotency_key_reused',
    'You have used this `idempotency_key` for another event.',
    { hint: 'Use a new key for each seat that you reserve.' },
  );
}

function soldOut(event: OpenEvent): DomainError {
  return new DomainError('sold_out', `All ${event.seatsTotal} seat(s) of this event are taken.`, {
    hint: 'POST /v1/events/{event_id}/waitlist puts you in line for a seat that is freed.',
  });
}
