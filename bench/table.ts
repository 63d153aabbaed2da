/** The benchmark's output: one table a store, in plain text that reads well in a terminal and in a log. */
import { median } from './compare-rounds.ts';

export interface Row {
  readonly measure: string;
  readonly hub: string;
  readonly baseline?: string;
  readonly ratio?: string;
  readonly aim?: string;
}

const HEAD: Required<Row> = {
  measure: 'measure',
  hub: 'hub',
  baseline: 'baseline',
  ratio: 'ratio',
  aim: 'aim',
};
const COLUMNS = ['measure', 'hub', 'baseline', 'ratio', 'aim'] as const;

export function formatTable(title: string, rows: readonly Row[]): string {
  const cells = [HEAD, ...rows].map((row) => COLUMNS.map((column) => row[column] ?? ''));
  const widths = COLUMNS.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const rule = '─'.repeat(Math.max(...lines.map((line) => line.length)));
  const [head = '', ...body] = lines;
  return [`\n${title}`, rule, head, rule, ...body].join('\n');
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
