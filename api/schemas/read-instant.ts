/** Parses instants sent by clients. The schema `instantInput` has already checked their form. */
import { DomainError } from '#domain/errors.ts';

const minuteMs = 60_000;
const secondsLength = '2026-01-31T12:00:00'.length;

/**
 * Truncates to milliseconds. Rejects dates that do not exist, such as 30 February, which `Date` would roll
 * over to another day, and instants outside the years 1 to 9999 in UTC, which neither store can hold.
 *
 * @param field the name of the field, for the error message
 * @throws DomainError invalid_body
 */
export function readInstant(field: string, text: string): Date {
  const date = new Date(text.toUpperCase());
  if (isOnCalendar(date, text.toUpperCase())) return date;
  throw new DomainError(
    'invalid_body',
    `\`${field}\` must be a valid instant between the years 1 and 9999 in UTC; check the day, the time and the offset.`,
  );
}

function isOnCalendar(date: Date, text: string): boolean {
  if (Number.isNaN(date.getTime())) return false;
  const year = date.getUTCFullYear();
  if (year < 1 || year > 9_999) return false;
  // A date that exists reads the same when written back at its own offset.
  const local = new Date(date.getTime() + offsetMinutes(text) * minuteMs);
  return local.toISOString().slice(0, secondsLength) === text.slice(0, secondsLength);
}

function offsetMinutes(text: string): number {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(text) ?? [];
  if (sign === undefined) return 0;
  return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
}
