/** The benchmark's output: one table of all stores, in plain text that reads well in a terminal and in a log. */
import { median } from './compare-rounds.ts';

/** The rows of one store. */
export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
}

export interface Row {
  readonly measure: string;
  /** Left out in a line that heads others. */
  readonly hub?: string;
  readonly baseline?: string;
  readonly ratio?: string;
  readonly aim?: string;
  /** The figure of the last run that can be compared, and the change since; set when the table is printed. */
  readonly before?: string;
}

const head: Required<Row> = {
  measure: 'measure',
  hub: 'hub',
  baseline: 'baseline',
  ratio: 'ratio',
  aim: 'aim',
  before: 'before',
};
const columns = ['measure', 'hub', 'baseline', 'ratio', 'aim', 'before'] as const;

export function formatTable(sections: readonly Section[]): string {
  const rows = [head, ...sections.flatMap((section) => section.rows)];
  const cellsOf = (row: Row): readonly string[] => columns.map((column) => row[column] ?? '');
  const widths = columns.map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lineOf = (row: Row): string =>
    cellsOf(row)
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  const rule = '─'.repeat(Math.max(...rows.map((row) => lineOf(row).length)));
  const body = sections.flatMap(({ title, rows: own }) => [rule, title, rule, ...own.map(lineOf)]);
  return [rule, lineOf(head), ...body, rule].join('\n');
}

/** The median, and in brackets the least and the most. */
export function spread(values: readonly number[], digits = 0): string {
  const least = format(Math.min(...values), digits);
  const most = format(Math.max(...values), digits);
  return `${format(median(values), digits)} (${least}–${most})`;
}

export function format(value: number, digits = 0): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Aims are goals to work towards, not tests: a miss is shown and fails nothing. */
export function atLeast(aim: number, value: number): string {
  return `≥ ${aim}: ${value >= aim ? 'met' : 'missed'}`;
}

export function atMost(aim: number, value: number): string {
  return `≤ ${aim}: ${value <= aim ? 'met' : 'missed'}`;
}
