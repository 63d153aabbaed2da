/**
 * Requires an instant in the future. The error includes the hub's time, because many callers have no clock.
 */
import { DomainError } from './errors.ts';

/** @throws DomainError invalid_body */
export function requireFuture(field: string, instant: Date, now: Date): void {
  if (instant > now) return;
  throw new DomainError(
    'invalid_body',
    `\`${field}\` must be in the future. The hub's time is ${now.toISOString()}.`,
  );
}
