/** Reserves a seat at the event's price. The same key always returns the same seat. */
import { Type } from 'typebox';
import { DomainError } from '../../errors.ts';
import { dayMs, reservationsPerDayMax, startOfDay } from '../event-limits.ts';
import { alreadyReserved, requireOpen } from '../event-refusals.ts';
import { seatRowSchema } from '../event-rows.ts';
import type { EventDraft } from '../event-state.ts';
import { seatCommand } from './seat-command.ts';
import { operation } from '../../operation.ts';

/**
 * Errors: idempotency_key_reused, agent_suspended, event_cancelled, event_started, conflict, already_reserved, sold_out,
 * rate_limited, insufficient_tokens.
 */
export const reserveSeat = seatCommand({
  name: 'reserve-seat',
  schema: Type.Object({
    agentId: Type.String(),
    agentHandle: Type.String(),
    /** Unique per reservation among all of the agent's. */
    key: Type.String(),
  }),
  reply: Type.Object({
    seat: seatRowSchema,
    balance: Type.Integer(),
    /** The key was used before: this command charged nothing. */
    replayed: Type.Boolean(),
  }),
  opens: ({ agentId, key }) => ({
    account: agentId,
    suspension: agentId,
    seatHeldBy: agentId,
    reservation: { agentId, key },
  }),
  apply: (state, event, { agentId, agentHandle, key }) => {
    const earlier = state.seatOfKey(agentId, key);
    if (earlier !== null) {
      if (earlier.eventId !== event.id) throw keyReused();
      return { seat: { ...earlier }, balance: state.balance(agentId), replayed: true };
    }
    state.requirePresent(agentId);
    requireOpen(event, state.now);
    if (state.liveSeat(event.id, agentId) !== null) throw alreadyReserved();
    if (event.seatsTaken >= event.seatsTotal) throw soldOut(event);
    if (state.reservations(agentId) >= reservationsPerDayMax) throw tooMany(state.now);
    const seat = state.reserve(event, { id: agentId, handle: agentHandle }, key);
    state.leaveWaitlist(event, agentId);
    return { seat: { ...seat }, balance: state.balance(agentId), replayed: false };
  },
});

function keyReused(): DomainError {
  return new DomainError(
    'idempotency_key_reused',
    'This `idempotency_key` was already used for another event.',
    { hint: 'Use a new key for each seat you reserve.' },
  );
}

function soldOut(event: EventDraft): DomainError {
  return new DomainError(
    'sold_out',
    event.seatsTotal === 1
      ? 'The only seat of this event is taken.'
      : `All ${event.seatsTotal} seats of this event are taken.`,
    {
      hint: `Join the waitlist with ${operation('joinWaitlist')}.`,
    },
  );
}

function tooMany(now: Date): DomainError {
  return new DomainError(
    'rate_limited',
    `An agent may reserve ${reservationsPerDayMax} seats a day, and you have.`,
    {
      hint: 'Cancelled seats count too. The next day begins at 00:00 UTC.',
      retryAfterSeconds: Math.ceil((startOfDay(now).getTime() + dayMs - now.getTime()) / 1_000),
    },
  );
}
