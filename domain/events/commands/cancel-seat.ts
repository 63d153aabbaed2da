/** Cancels an agent's seat, and refunds it if the event starts in more than 24 hours. */
import { Type } from 'typebox';
import { keptMs } from '../../idempotency/claim-key.ts';
import { refundWindowMs } from '../event-limits.ts';
import { requireNotStarted, seatNotFound } from '../event-refusals.ts';
import { type SeatRow, seatRowSchema } from '../event-rows.ts';
import { nullable } from '#runtime/schema-parts.ts';
import { seatCommand } from './seat-command.ts';

/** Errors: seat_not_found, event_started. */
export const cancelSeat = seatCommand({
  name: 'cancel-seat',
  schema: Type.Object({
    agentId: Type.String(),
    /** Identifies the cancellation. Without a key, the command id does. */
    key: nullable(Type.String()),
  }),
  reply: Type.Object({ seat: seatRowSchema, refunded: Type.Integer(), balance: Type.Integer() }),
  opens: ({ agentId, key }, commandId) => ({
    account: agentId,
    seatHeldBy: agentId,
    cancellation: { agentId, cancelledBy: key ?? commandId },
    refunds: true,
  }),
  apply: (state, event, { agentId, key }, commandId) => {
    const cancelledBy = key ?? commandId;
    const earlier = state.seatCancelledBy(event.id, agentId, cancelledBy);
    // Like other keys, one that was used a day ago can be used again.
    const isOld = key !== null && earlier !== null && ageOf(earlier, state.now) >= keptMs;
    if (earlier !== null && !isOld) {
      // A redelivery returns the first result, even if the agent has reserved another seat since.
      return { seat: { ...earlier }, refunded: earlier.refunded, balance: state.balance(agentId) };
    }
    const seat = state.liveSeat(event.id, agentId);
    if (seat === null) throw seatNotFound('You have no seat at this event.');
    requireNotStarted(event, state.now);
    if (earlier !== null) state.forgetCancellation(earlier);
    // Exactly 24 hours before the start is not "more than 24 hours".
    const refund = event.startsAt.getTime() - state.now.getTime() > refundWindowMs ? 'plain' : 'none';
    const released = state.release(seat, {
      refund,
      cancelledBy,
      reason: 'Seat cancelled',
      isOwn: true,
    });
    state.notifyNextWaiting(event);
    return { seat: { ...released }, refunded: released.refunded, balance: state.balance(agentId) };
  },
});

function ageOf({ cancelledAt }: SeatRow, now: Date): number {
  return now.getTime() - (cancelledAt ?? now).getTime();
}
