/**
 * The results of earlier runs, one line of JSON each, in a file of the repository. A run is compared with the
 * last one of the same size on the same machine, so a figure is kept until a later run replaces it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { join, relative } from 'node:path';
import { isSameMachine, Machine } from './machine.ts';
import { format, type Row } from './table.ts';

const StoredRow = Type.Object({
  measure: Type.String(),
  hub: Type.Optional(Type.String()),
  baseline: Type.Optional(Type.String()),
  ratio: Type.Optional(Type.String()),
});

const Run = Type.Object({
  at: Type.String(),
  commit: Type.String(),
  size: Type.String(),
  machine: Machine,
  bun: Type.String(),
  redis: Type.String(),
  stores: Type.Array(
    Type.Object({ store: Type.String(), version: Type.String(), rows: Type.Array(StoredRow) }),
  ),
});
export type Run = Static<typeof Run>;

const isRun = Compile(Run);

export const historyFile = join(import.meta.dir, 'history.jsonl');

/** A line of the file is not a run. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError';
}

/**
 * The runs of a file, oldest first; empty if the file does not exist.
 * @throws HistoryError that names the line
 */
export function readHistory(file: string): readonly Run[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, index) => (line === '' ? [] : [readRun(line, `${nameOf(file)}:${index + 1}`)]));
}

/** Adds a run, without the figures of earlier runs that it replaces. */
export function appendRun(file: string, run: Run): void {
  const kept = readHistory(file).flatMap((earlier) => withoutReplaced(earlier, run));
  writeFileSync(file, [...kept, run].map((one) => `${JSON.stringify(one)}\n`).join(''));
}

function withoutReplaced(earlier: Run, run: Run): readonly Run[] {
  if (!isComparable(earlier, run)) return [earlier];
  const stores = earlier.stores.flatMap((own) => {
    const later = run.stores.find(({ store }) => store === own.store)?.rows ?? [];
    const rows = own.rows.filter(({ measure }) => later.every((row) => row.measure !== measure));
    return rows.length === 0 ? [] : [{ ...own, rows }];
  });
  return stores.length === 0 ? [] : [{ ...earlier, stores }];
}

function isComparable(one: Run, { machine, size }: Pick<Run, 'machine' | 'size'>): boolean {
  return one.size === size && isSameMachine(one.machine, machine);
}

function readRun(line: string, place: string): Run {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new HistoryError(`${place} is not JSON. ${hint}`, { cause: error });
  }
  if (isRun.Check(value)) return value;
  const [fault] = isRun.Errors(value);
  const where = fault === undefined || fault.instancePath === '' ? 'The line' : `\`${fault.instancePath}\``;
  throw new HistoryError(
    `${place} is not a run of the benchmark: ${where} ${fault?.message ?? 'has the wrong form'}. ${hint}`,
  );
}

const hint = 'Fix or remove the line, or use --history FILE or --history off.';

function nameOf(file: string): string {
  const name = relative(process.cwd(), file);
  return name.startsWith('..') ? file : name;
}

/** The last comparable figure and the change since then. */
export type Compare = (store: string, row: Row) => string | undefined;

/** @param runs oldest first */
export function compareWith(runs: readonly Run[], own: Pick<Run, 'machine' | 'size'>): Compare {
  const comparable = runs.filter((run) => isComparable(run, own)).toReversed();
  return (store, row) => {
    for (const { stores } of comparable) {
      const before = stores
        .find((one) => one.store === store)
        ?.rows.find(({ measure }) => measure === row.measure);
      if (before !== undefined) return changeOf(before, row);
    }
    return undefined;
  };
}

/** Compares ratios if both have one, because machines are noisy, and otherwise medians. */
function changeOf(before: Static<typeof StoredRow>, now: Row): string | undefined {
  const [old, present] =
    before.ratio === undefined || now.ratio === undefined ? [before.hub, now.hub] : [before.ratio, now.ratio];
  const [from, to] = [numberOf(old), numberOf(present)];
  if (from === null || to === null || from === 0) return undefined;
  const percent = ((to - from) / from) * 100;
  return `${leadOf(old)} (${percent < 0 ? '' : '+'}${format(percent)}%)`;
}

/** The first figure of a cell: the median or the p50. */
function leadOf(cell: string | undefined): string {
  return /^[\d.,]+/.exec(cell ?? '')?.[0] ?? '';
}

function numberOf(cell: string | undefined): number | null {
  const lead = leadOf(cell);
  return lead === '' ? null : Number(lead.replaceAll(',', ''));
}
