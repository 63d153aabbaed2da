/**
 * Output of commands: JSON with `--json`, else short lines for people. Results go to stdout, everything else
 * to stderr.
 */
import { isControlCharacter, showControlCharacters } from '#evals/safe-text.ts';
import { showProgress } from '../client/progress-bar.ts';

export interface Output {
  /** Prints the result of a command, once: the value as JSON, or the lines that describe it. */
  result(value: unknown, lines: readonly string[]): void;
  /** The same for a failure. Its lines go to stderr, so that a script that waits for success can hide them. */
  failure(value: unknown, lines: readonly string[]): void;
  /** Shows progress; silent with `--json`. */
  progress(done: number, total: number, note?: string): void;
}

const shown = (lines: readonly string[]): string => showControlCharacters(lines.join('\n'));

/** Escapes control characters in both formats, because text from strangers must not control the terminal. */
export function createOutput(json: boolean): Output {
  return {
    result: (value, lines) => console.log(json ? jsonOf(value) : shown(lines)),
    failure: (value, lines) => {
      if (json) console.log(jsonOf(value));
      else console.error(shown(lines));
    },
    progress: (done, total, note) => {
      if (!json) showProgress(done, total, process.stderr, note);
    },
  };
}

/** `JSON.stringify` leaves some control characters as they are; escaped, they mean the same. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/[^\n -~]/g, (unit) =>
    isControlCharacter(unit) ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}` : unit,
  );
}

/** Formats lists and records for people. */

export type Cell = string | number | boolean | Date | null | undefined;

/** Longer texts are cut, so that a row fits on a line; `show` commands and `--json` print them in full. */
const cellMax = 60;

/**
 * Returns a header and one line per row.
 * @param columns by their heads
 */
export function tableOf<Row>(
  columns: Readonly<Record<string, (row: Row) => Cell>>,
  rows: readonly Row[],
): readonly string[] {
  if (rows.length === 0) return ['None.'];
  const header = Object.keys(columns);
  const cells = [header, ...rows.map((row) => Object.values(columns).map((cell) => cellText(cell(row))))];
  const widths = header.map((_, column) => Math.max(...cells.map((row) => lengthOf(row[column] ?? ''))));
  return cells.map((row) =>
    row
      .map((text, column) => text + ' '.repeat((widths[column] ?? 0) - lengthOf(text)))
      .join('  ')
      .trimEnd(),
  );
}

/** Returns one line per field, with its name. Undefined fields are left out. */
export function fieldLines(fields: Readonly<Record<string, Cell>>): readonly string[] {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name.padEnd(width)}  ${textOf(value)}`],
  );
}

function cellText(value: Cell): string {
  const characters = Array.from(textOf(value).replaceAll(/\s+/g, ' '));
  return characters.length <= cellMax ? characters.join('') : `${characters.slice(0, cellMax - 1).join('')}…`;
}

function textOf(value: Cell): string {
  if (value === null || value === undefined) return '-';
  return value instanceof Date ? value.toISOString() : String(value);
}

/** In code points. */
export function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** The JSON form of rows: selected fields under the names of the public API. */

/**
 * Picks the named fields of a row and renames `startsAt` to `starts_at`. Dates become ISO 8601 when printed.
 */
export function pickFields<Row extends object>(
  row: Row,
  names: readonly (keyof Row & string)[],
): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [snakeCase(name), row[name]]));
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
