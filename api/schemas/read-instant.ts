/** Reads the instants that clients give; their form has been checked by `givenInstant`. */
import { DomainError } from '#domain/errors.ts';

const minuteMs = 60_000;
const secondsLength = '2026-01-31T12:00:00'.length;

/**
 * To the millisecond; finer digits are cut off. A date that rolls over, such as 30 February, is refused rather than
 * taken for another day, and so is what falls out of the years 1 to 9999 in UTC, which no store and no answer can hold.
 *
 * @param field named in the refusal
 * @throws DomainError invalid_body
 */
export function readInstant(field: string, text: string): Date {
  const date = new Date(text.toUpperCase());
  if (isOnCalendar(date, text.toUpperCase())) return date;
  throw new DomainError(
    'invalid_body',
    `\`${field}\` must be an instant that exists, in the years 1 to 9999 of UTC; check day, time and offset.`,
  );
}

function isOnCalendar(date: Date, text: string): boolean {
  if (Number.isNaN(date.getTime())) return false;
  const year = date.getUTCFullYear();
  if (year < 1 || year > 9_999) return false;
  // Written back at its own offset, the instant must read as it was given.
  const local = new Date(date.getTime() + offsetMinutes(text) * minuteMs);
  return local.toISOString().slice(0, secondsLength) === text.slice(0, secondsLength);
}

function offsetMinutes(text: string): number {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(text) ?? [];
  if (sign === undefined) return 0;
  return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
}
