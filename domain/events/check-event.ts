/**
 * The rules that combine several fields of an event; the limits of single fields are in the request schema.
 */
import { DomainError } from '../errors.ts';
import { durationMaxMs } from './event-limits.ts';
import type { EventRow } from './event-rows.ts';

/** @throws DomainError invalid_body */
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
