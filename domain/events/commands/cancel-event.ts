/** Cancels an event and gives every agent with a seat its tokens back, whenever that is (decisions.md section 6). */
import type { OpenEvent, SeatBooks } from '../seat-books.ts';
import type { SeatReplies } from '../seat-commands.ts';

/** Cancelling again changes nothing. */
export function cancelEvent(books: SeatBooks, event: OpenEvent): SeatReplies['cancel-event'] {
  if (event.status === 'scheduled') {
    for (const seat of books.liveSeatsOf(event.id)) {
      books.free(seat, { refund: true, cancelledBy: null, reason: 'Event cancelled' });
    }
    event.status = 'cancelled';
    event.calendarSequence += 1;
  }
  return { event: { ...event } };
}
