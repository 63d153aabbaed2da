/** Parsers for arguments and options. A value they reject makes the command line invalid. */
import { Argument, InvalidArgumentError, Option } from 'commander';
import { createInterface } from 'node:readline/promises';
import { HubRefusal } from '../client/hub-refusal.ts';
import { lengthOf } from './output.ts';

/** Default and maximum length of a list. */
const listed = { usual: 50, most: 10_000 };

/** The `--limit` option of every list. */
export function limitOption(): Option {
  return new Option('--limit <number>', `Maximum number of items, up to ${listed.most}`)
    .argParser(wholeNumber(1, listed.most))
    .default(listed.usual);
}

/** @param parse reads it; any text by default */
export function argument(name: string, about: string, parse?: (text: string) => unknown): Argument {
  const made = new Argument(name, about);
  return parse === undefined ? made : made.argParser(parse);
}

/** An option that must be given. */
export function required(flags: string, about: string, parse: (text: string) => unknown): Option {
  return new Option(flags, about).argParser(parse).makeOptionMandatory();
}

/** In the examples of help texts. */
export const exampleId = '01900000-0000-7000-8000-000000000000';

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

/** A row id: a UUID, as the hub prints it. */
export function rowId(text: string): string {
  const id = text.toLowerCase();
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id;
  throw new InvalidArgumentError('It must be an id, such as 01900000-0000-7000-8000-000000000000.');
}

/** One line with at least one visible character and at most `max` code points, as the API takes it. */
export function line(max: number): (text: string) => string {
  return textOf(max, 'one line of', /^[^\p{Cc}\p{Cs}]*$/u);
}

/** Text that may contain newlines and tabs. */
export function block(max: number): (text: string) => string {
  return textOf(max, 'text of', /^(?:[\n\t]|[^\p{Cc}\p{Cs}])*$/u);
}

function textOf(max: number, kind: string, allowed: RegExp): (text: string) => string {
  return (text) => {
    if (allowed.test(text) && /[^\p{Z}\p{C}]/u.test(text) && lengthOf(text) <= max) return text;
    throw new InvalidArgumentError(`It must be ${kind} 1 to ${max} characters.`);
  };
}

/** An ISO 8601 time with an offset, to the millisecond. */
export function instant(text: string): Date {
  const [, day] = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  const date = new Date(text);
  // `Date` rolls invalid days over; 30 February must be rejected.
  const midnight = new Date(`${day}T00:00:00Z`);
  const dayExists = !Number.isNaN(midnight.getTime()) && midnight.toISOString().slice(0, 10) === day;
  if (dayExists && !Number.isNaN(date.getTime())) return date;
  throw new InvalidArgumentError('It must be a valid time, such as 2027-01-31T14:00:00Z.');
}

/** The option of every command that asks for confirmation. */
export const yesOption = ['--yes', 'Skip the confirmation', false] as const;

/**
 * Asks for confirmation before something that cannot be undone.
 * Returns once the person at the terminal has agreed, or immediately with `--yes`.
 * @param consequence what is about to happen, as a sentence
 * @throws WrongCommandLine without a terminal; HubRefusal for any reply other than yes
 */
export async function confirm(consequence: string, yes: boolean): Promise<void> {
  if (yes) return;
  const terminal = openTerminal('Nothing was changed.');
  if (terminal === null) {
    throw new WrongCommandLine(
      `Nothing was changed: this command needs confirmation, but there is no terminal to ask on. Add --yes to confirm. ${consequence}`,
    );
  }
  const answer = await terminal.ask(`${consequence} Continue? [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new HubRefusal('Nothing was changed.');
}

/**
 * The terminal to ask a person on; null if there is none.
 * @param refusal what the command says if the person leaves instead of answering
 */
export function openTerminal(refusal: string) {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C and Ctrl-D close the input, and the question would then never return.
  const closed = new Promise<never>((_, reject) => {
    asking.once('close', () => reject(new HubRefusal(refusal)));
  });
  closed.catch(() => undefined);
  return {
    ask: (text: string) => Promise.race([asking.question(text), closed]),
    close: () => asking.close(),
  };
}

/** A command line that parses but cannot be run; the message says what to write instead. */
export class WrongCommandLine extends Error {
  override readonly name = 'WrongCommandLine';
}
