/** The verdicts of a soak as a table for people. */
import type { Verdict } from './judge-soak.ts';

const words = { true: 'ok', false: 'FAILED', null: '-' } as const;
const seenShownMax = 4_000;

export function verdictTable(verdicts: readonly Verdict[]): string {
  const untold = verdicts.filter(({ holds }) => holds === null);
  const note =
    untold.length === 0 ? '' : `\nToo short a run to tell of ${untold.length} numbers whether they grow.`;
  const told = verdicts.filter(({ holds }) => holds !== null);
  const rows = told.map(({ name, holds, seen, rule }) => [name, words[`${holds}`], seen, rule] as const);
  const width = (column: 0 | 2): number =>
    Math.min(60, Math.max(...rows.map((row) => row[column].split('\n')[0]!.length)));
  const table = rows.map(([name, word, seen, rule]) =>
    [name.padEnd(width(0)), word.padEnd(6), seen.slice(0, seenShownMax).padEnd(width(2)), rule].join('  '),
  );
  return table.join('\n') + note;
}
