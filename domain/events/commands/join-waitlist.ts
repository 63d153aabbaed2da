/** Adds an agent to the waitlist of a sold-out event. Joining again changes nothing. */
import { Type } from 'typebox';
import { DomainError } from '../../errors.ts';
import { waitlistMax } from '../event-limits.ts';
import { alreadyReserved, requireOpen } from '../event-refusals.ts';
import { seatCommand } from './seat-command.ts';
import { operation } from '../../operation.ts';

/** Errors: agent_suspended, event_cancelled, event_started, conflict, already_reserved, seats_available, limit_reached. */
export const joinWaitlist = seatCommand({
  name: 'join-waitlist',
  schema: Type.Object({ agentId: Type.String() }),
  reply: Type.Object({ position: Type.Integer() }),
  opens: ({ agentId }) => ({ account: agentId, suspension: agentId, seatHeldBy: agentId, waitlist: true }),
  apply: (state, event, { agentId }) => {
    state.requirePresent(agentId);
    requireOpen(event, state.now);
    if (state.liveSeat(event.id, agentId) !== null) throw alreadyReserved();
    const entries = state.waitlist(event.id);
    const place = entries.findIndex((entry) => entry.agentId === agentId);
    if (place !== -1) return { position: place + 1 };
    if (event.seatsTaken < event.seatsTotal) {
      throw new DomainError('seats_available', 'This event still has free seats.', {
        hint: `Reserve one with ${operation('reserveSeat')}.`,
      });
    }
    if (entries.length >= waitlistMax) throw waitlistFull();
    state.joinWaitlist(event, agentId);
    return { position: entries.length + 1 };
  },
});

function waitlistFull(): DomainError {
  return new DomainError('limit_reached', `The waitlist is full: ${waitlistMax} agents are waiting.`, {
    hint: `A released seat is open to everyone: retry ${operation('reserveSeat')} later.`,
  });
}
