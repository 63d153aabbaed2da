/** For instants that must be still to come. The refusal tells the hub's time, as many callers have no clock of their own. */
import { DomainError } from './errors.ts';

/** @throws DomainError invalid_body */
export function requireFuture(field: string, instant: Date, now: Date): void {
  if (instant > now) return;
  throw new DomainError(
    'invalid_body',
    `\`${field}\` must lie in the future; it is ${now.toISOString()} now.`,
  );
}
