/** Confirms when and where the host of office hours meets an agent. Confirming again moves the meeting. */
import { Type } from 'typebox';
import { Instant } from '#runtime/json-reader.ts';
import { DomainError } from '../../errors.ts';
import { requireFuture } from '../../require-future.ts';
import { notHost, seatNotFound } from '../event-refusals.ts';
import { seatRowSchema } from '../event-rows.ts';
import { seatCommand } from './seat-command.ts';

/** Errors: not_allowed, seat_not_found, conflict, invalid_body. */
export const confirmMeeting = seatCommand({
  name: 'confirm-meeting',
  schema: Type.Object({
    seatId: Type.String(),
    startsAt: Instant(),
    place: Type.String(),
    /** The agent who confirms: the host, or a maintainer. */
    agentId: Type.String(),
    isMaintainer: Type.Boolean(),
  }),
  reply: Type.Object({ seat: seatRowSchema }),
  opens: ({ seatId }) => ({ seatId }),
  apply: (state, event, { seatId, startsAt, place, agentId, isMaintainer }) => {
    if (!isMaintainer && event.hostAgentId !== agentId) throw notHost();
    if (event.kind !== 'office_hours') {
      throw new DomainError('conflict', 'Only office hours have meetings to confirm.', {
        hint: 'This event is a workshop: its own time and presenter apply to every seat.',
      });
    }
    const seat = state.seat(seatId);
    if (seat === null || seat.eventId !== event.id || seat.status !== 'reserved') {
      throw seatNotFound('This event has no reserved seat with this id.');
    }
    requireFuture('starts_at', startsAt, state.now);
    return { seat: { ...state.confirmMeeting(seat, startsAt, place, agentId) } };
  },
});
