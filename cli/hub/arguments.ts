/** Readers of arguments and options, each with the rule that it holds to. What they refuse is a wrong command line. */
import { InvalidArgumentError, Option } from 'commander';
import { lengthOf } from './table.ts';

/** How many items a list shows, and at the most. */
const listed = { usual: 50, most: 10_000 };

/** `--limit` of every list. */
export function limitOption(): Option {
  return new Option('--limit <number>', `how many at the most, up to ${listed.most}`)
    .argParser(wholeNumber(1, listed.most))
    .default(listed.usual);
}

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

/** The id of a row: a UUID, as every list of the hub shows them. */
export function rowId(text: string): string {
  const id = text.toLowerCase();
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id;
  throw new InvalidArgumentError('It must be an id, such as 01900000-0000-7000-8000-000000000000.');
}

/** One line that holds something visible, `max` code points at the most. */
export function line(max: number): (text: string) => string {
  return (text) => {
    if (/^\P{C}*$/u.test(text) && /[^\p{Z}\p{C}]/u.test(text) && lengthOf(text) <= max) return text;
    throw new InvalidArgumentError(`It must be one line of 1 to ${max} characters.`);
  };
}

/** Text that may hold newlines and tabs. */
export function block(max: number): (text: string) => string {
  const readLine = line(max);
  return (text) => {
    readLine(text.replaceAll(/[\n\t]/g, ' '));
    return text;
  };
}

/** An instant in ISO 8601 with its offset, to the millisecond. */
export function instant(text: string): Date {
  const [, day] = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  const date = new Date(text);
  // A day that rolls over, such as 30 February, is no day.
  const midnight = new Date(`${day}T00:00:00Z`);
  const dayExists = !Number.isNaN(midnight.getTime()) && midnight.toISOString().slice(0, 10) === day;
  if (dayExists && !Number.isNaN(date.getTime())) return date;
  throw new InvalidArgumentError('It must be an instant that exists, such as 2027-01-31T14:00:00Z.');
}
