/** Cancels an event and refunds every seat in full, however late. Cancelling again changes nothing. */
import { Type } from 'typebox';
import { eventRowSchema } from '../event-rows.ts';
import { seatCommand } from './seat-command.ts';

export const cancelEvent = seatCommand({
  name: 'cancel-event',
  schema: Type.Object({}),
  reply: Type.Object({ event: eventRowSchema }),
  // It may refund thousands of seats.
  timeoutMs: 30_000,
  opens: () => ({ allSeats: true, refunds: true }),
  apply: (state, event) => {
    if (event.status === 'scheduled') {
      for (const seat of state.liveSeats(event.id)) {
        state.release(seat, { refund: 'with grace', cancelledBy: null, reason: 'Event cancelled' });
      }
      event.status = 'cancelled';
      event.calendarSequence += 1;
      event.changedAt = state.now;
    }
    return { event: { ...event } };
  },
});
