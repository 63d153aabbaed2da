/** Refusals that several event verbs share. */
import { DomainError } from '../errors.ts';
import { closedHandle } from '../agents/retired-handles.ts';
import { durationMaxMs } from './event-limits.ts';
import type { EventRow } from './event-rows.ts';
import { operation } from '../operation.ts';

const seeEvents = `List upcoming events with ${operation('listEvents')}.`;

export function eventNotFound(): DomainError {
  return new DomainError('event_not_found', 'There is no event with this id.', {
    hint: seeEvents,
  });
}

export function seatNotFound(message: string): DomainError {
  return new DomainError('seat_not_found', message, {
    hint: `List your seats with ${operation('listSeats')}.`,
  });
}

/** @throws DomainError event_cancelled, event_started, conflict */
export function requireOpen(event: EventRow, now: Date): void {
  if (event.status === 'cancelled') throw eventCancelled();
  requireNotStarted(event, now);
  if (lacksHost(event)) throw noHost();
}

/** Whether nobody can confirm its meetings, because the host has closed its account. */
export function lacksHost({ kind, hostHandle }: Pick<EventRow, 'kind' | 'hostHandle'>): boolean {
  return kind === 'office_hours' && hostHandle === closedHandle;
}

function noHost(): DomainError {
  return new DomainError('conflict', 'The host of these office hours has closed its account.', {
    hint: seeEvents,
  });
}

export function eventCancelled(): DomainError {
  return new DomainError('event_cancelled', 'This event has been cancelled.', { hint: seeEvents });
}

/** @throws DomainError event_started */
export function requireNotStarted(event: EventRow, now: Date): void {
  if (event.startsAt > now) return;
  throw new DomainError('event_started', `This event started at ${event.startsAt.toISOString()}.`, {
    hint: seeEvents,
  });
}

export function notHost(): DomainError {
  return new DomainError('not_allowed', 'Only the host of this event or a maintainer may do this.', {
    hint: 'The host is the `host_handle` of the event.',
  });
}

export function alreadyReserved(): DomainError {
  return new DomainError('already_reserved', 'You already have a seat at this event.', {
    hint: `An agent can have one seat per event. List yours with ${operation('listSeats')}.`,
  });
}

/**
 * Applies the rules that combine several fields; the limits of single fields are in the request schema.
 * @throws DomainError invalid_body
 */
export function checkEvent(event: Pick<EventRow, 'kind' | 'startsAt' | 'endsAt' | 'seatsTotal'>): void {
  if (event.endsAt <= event.startsAt) {
    throw new DomainError('invalid_body', '`ends_at` must be after `starts_at`.');
  }
  if (event.endsAt.getTime() - event.startsAt.getTime() > durationMaxMs) {
    throw new DomainError('invalid_body', '`ends_at` must be at most 31 days after `starts_at`.');
  }
  if (event.kind === 'office_hours' && event.seatsTotal !== 1) {
    throw new DomainError('invalid_body', '`seats_total` must be 1 for office hours.', {
      hint: 'Create one event per slot. A workshop can have any number of seats.',
    });
  }
}
