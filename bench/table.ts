/** The output: one plain-text table for all stores. */
import { type Contest, median, type Round } from './compare-rounds.ts';

/** The rows of one store. */
export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
}

export interface Row {
  readonly measure: string;
  /** Missing in a heading. */
  readonly hub?: string;
  readonly baseline?: string;
  readonly ratio?: string;
  readonly aim?: string;
}

const head: Required<Row> = {
  measure: 'measure',
  hub: 'hub',
  baseline: 'baseline',
  ratio: 'ratio',
  aim: 'aim',
};
const columns = ['measure', 'hub', 'baseline', 'ratio', 'aim'] as const;

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

/** The median, with the minimum and maximum in brackets. */
export function spread(values: readonly number[], digits = 0): string {
  const least = format(Math.min(...values), digits);
  const most = format(Math.max(...values), digits);
  return `${format(median(values), digits)} (${least}–${most})`;
}

export function format(value: number, digits = 0): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** The rates of the hub and of `than`. */
export function rateRow(
  measure: string,
  { subject, baseline, ratio }: Contest<Round, Round>,
  than: string,
  { aim, digits = 0 }: { readonly aim?: number; readonly digits?: number } = {},
): Row {
  const rates = (rounds: readonly Round[]): string =>
    spread(
      rounds.map(({ rate }) => rate),
      digits,
    );
  return {
    measure,
    hub: rates(subject),
    baseline: `${rates(baseline)} ${than}`,
    ratio: format(ratio, 2),
    ...(aim === undefined ? {} : { aim: atLeast(aim, ratio) }),
  };
}

/** Aims are goals, not tests: a miss fails nothing. */
function atLeast(aim: number, value: number): string {
  return `≥ ${aim}: ${value >= aim ? 'met' : 'missed'}`;
}

export function atMost(aim: number, value: number): string {
  return `≤ ${aim}: ${value <= aim ? 'met' : 'missed'}`;
}
