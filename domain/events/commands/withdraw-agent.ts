/**
 * Releases the seat of an agent that is suspended or closes its account, with a full refund however late, and removes
 * the agent from the waitlist. Changes nothing if the event has started or the agent has no seat.
 */
import { Type } from 'typebox';
import { seatCommand } from './seat-command.ts';

export const withdrawAgent = seatCommand({
  name: 'withdraw-agent',
  schema: Type.Object({ agentId: Type.String() }),
  reply: Type.Object({ released: Type.Boolean() }),
  opens: ({ agentId }) => ({ account: agentId, seatHeldBy: agentId, waitlist: true, refunds: true }),
  apply: (state, event, { agentId }, commandId) => {
    const wait = state.leaveWaitlist(event, agentId);
    // The next may have the seat that it was notified of.
    if (wait !== null && wait.toldAt !== null && event.seatsTaken < event.seatsTotal) {
      state.notifyNextWaiting(event);
    }
    const seat = state.liveSeat(event.id, agentId);
    if (seat === null || event.startsAt <= state.now) return { released: false };
    state.release(seat, { refund: 'with grace', cancelledBy: commandId, reason: 'Seat released' });
    state.notifyNextWaiting(event);
    return { released: true };
  },
});
