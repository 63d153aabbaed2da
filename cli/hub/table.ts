/** Formats lists and records for people. */

type Cell = string | number | boolean | Date | null | undefined;

/** Longer texts are cut, so that a row fits on a line; `show` commands and `--json` print them in full. */
const cellMax = 60;

/** Returns a header and one line per row, in columns. */
export function tableLines(header: readonly string[], rows: readonly (readonly Cell[])[]): readonly string[] {
  if (rows.length === 0) return ['None.'];
  const cells = [header, ...rows.map((row) => row.map(cellText))];
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
