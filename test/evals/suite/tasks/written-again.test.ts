/**
 * Solves written tasks from their prompts only, in another way than their generators, to show that prompts are complete
 * and clear.
 */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { drawSeeds } from '../draw-seeds.ts';
import { readParcels, type ReadParcel } from './solvers/parcels-again.ts';
import { solveInjection, solveSecret } from './solvers/read-security.ts';
import { drawTasks } from './task-figures.ts';

setDefaultTimeout(Number(process.env['SUITE_RUNS'] ?? 0) > 0 ? 900_000 : 60_000);
/** The long form draws 300 seeds. */
const seeds = drawSeeds('written again', 8).slice(0, 300);

const numberOf = ({ id }: ReadParcel) => Number(id.slice(3));

function sortAsAsked(prompt: string, parcels: readonly ReadParcel[]): ReadParcel[] {
  const byNumber = (left: ReadParcel, right: ReadParcel) => numberOf(left) - numberOf(right);
  if (prompt.includes('highest first')) return parcels.toSorted((left, right) => byNumber(right, left));
  if (prompt.includes('lightest first')) {
    return parcels.toSorted((left, right) => left.weight - right.weight || byNumber(left, right));
  }
  if (prompt.includes('by the day on which they are due')) {
    return parcels.toSorted((left, right) => left.due.localeCompare(right.due) || byNumber(left, right));
  }
  return parcels.toSorted(byNumber);
}

function solveExtract(prompt: string): string {
  const keys = [...prompt.matchAll(/^- "([a-z]+)": (.+)$/gm)];
  const valueOf = (parcel: ReadParcel, text: string) => {
    if (text.includes('mark')) return parcel.id;
    if (text.includes('what is in it')) return parcel.goods;
    if (text.includes('where it goes')) return parcel.town;
    if (text.includes('weight')) return parcel.weight;
    return text.includes('fragile') ? parcel.fragile : parcel.due;
  };
  return JSON.stringify(
    sortAsAsked(prompt, readParcels(prompt)).map((parcel) =>
      Object.fromEntries(keys.map(([, key = '', text = '']) => [key, valueOf(parcel, text)])),
    ),
  );
}

function solveTable(prompt: string): string {
  const names = (/names the columns (.+?)\. They hold/.exec(prompt)?.[1] ?? '').split('; ');
  const cell = (parcel: ReadParcel, name: string) => {
    const { id, town, goods, weight, due, fragile } = parcel;
    const cells = { mark: id, town, goods, due, fragile: fragile ? 'yes' : 'no', kg: String(weight) };
    if (name === 'label') return `"${town}, ${goods}"`;
    if (name === 'note') return `"""${goods}"""`;
    return Object.entries(cells).find(([key]) => key === name)?.[1] ?? '';
  };
  const parcels = sortAsAsked(prompt, readParcels(prompt));
  const total = parcels.reduce((sum, { weight }) => sum + weight, 0);
  return [
    names.join(','),
    ...parcels.map((parcel) => names.map((name) => cell(parcel, name)).join(',')),
    `total${','.repeat(names.length - 1)}${total}`,
  ].join('\n');
}

const solvers: Readonly<Record<string, (turns: readonly string[]) => readonly string[]>> = {
  extract: ([prompt = '']) => [solveExtract(prompt)],
  table: ([prompt = '']) => [solveTable(prompt)],
  injection: solveInjection,
  secret: solveSecret,
};

test('records, planted orders and visits are solved from their prompts alone', () => {
  let solved = 0;
  for (const { name, kind, task } of drawTasks(['structured', 'security'], seeds)) {
    const replies = solvers[kind.name]?.(task.turns);
    if (replies === undefined) continue;
    expect({ name, replies, ...task.grade(replies) }).toMatchObject({ passed: true });
    solved += 1;
  }
  console.log(
    `solved again from the prompt: ${solved} of ${solved} tasks of ${Object.keys(solvers).join(', ')}`,
  );
});
