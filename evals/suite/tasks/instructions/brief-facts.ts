/** The facts of a brief: workshops in invented towns, some with a figure that is corrected or withdrawn. */
import type { Level } from '../../ladder/ladder.ts';
import { inventNames } from '../../language/invented-word.ts';
import type { Random } from '../../random.ts';

export interface Fact {
  readonly town: string;
  readonly keeper: string;
  readonly trade: string;
  readonly goods: string;
  readonly count: number;
}

export interface Brief {
  /** In the order in which the text must report them. */
  readonly facts: readonly Fact[];
  /** As the prompt lists them, including outdated figures. */
  readonly notes: readonly string[];
  /** Figures and names that must not occur. */
  readonly withdrawn: readonly string[];
  readonly orderText: string;
  /** Figures for the closing paragraph. */
  readonly total: number | null;
  readonly gap: number | null;
  readonly minWords: number;
  readonly maxWords: number;
}

const factCounts: Readonly<Record<Level, number>> = { 1: 2, 2: 3, 3: 4, 4: 6, 5: 9, 6: 11, 7: 13, 8: 15 };
const correctionCounts: Readonly<Record<Level, number>> = { 1: 0, 2: 0, 3: 1, 4: 2, 5: 3, 6: 4, 7: 5, 8: 6 };
const withdrawnCounts: Readonly<Record<Level, number>> = { 1: 0, 2: 0, 3: 0, 4: 1, 5: 2, 6: 3, 7: 4, 8: 5 };

const trades = [
  ['mill', 'sacks'],
  ['brewery', 'barrels'],
  ['quarry', 'slabs'],
  ['bakery', 'loaves'],
  ['forge', 'nails'],
  ['pottery', 'jugs'],
  ['dairy', 'cheeses'],
  ['tannery', 'hides'],
  ['sawmill', 'planks'],
  ['ropery', 'cables'],
  ['press', 'bottles'],
  ['weavery', 'rugs'],
  ['foundry', 'bells'],
  ['bindery', 'books'],
  ['glassworks', 'panes'],
  ['vineyard', 'casks'],
  ['saltern', 'crates'],
  ['smokehouse', 'hams'],
  ['joinery', 'chairs'],
  ['brickworks', 'bricks'],
  ['chandlery', 'candles'],
] as const;

export function drawBrief(random: Random, level: Level): Brief | null {
  const count = factCounts[level];
  const out = withdrawnCounts[level];
  const names = inventNames(random, 2 * (count + out));
  const all = random.sample(trades, count + out).map(([trade, goods], at): Fact => ({
    town: names[2 * at] ?? '',
    keeper: names[2 * at + 1] ?? '',
    trade,
    goods,
    count: random.int(112, 989),
  }));
  const wanted = all.slice(0, count);
  const withdrawn = all.slice(count);
  const old = wanted.slice(0, correctionCounts[level]).map(({ count }) => count + random.int(11, 60));
  const order = random.pick(level === 1 ? orders.slice(0, 1) : orders);
  const facts = wanted.toSorted(order.compare);
  const counts = facts.map((fact) => fact.count);
  const total = counts.reduce((left, right) => left + right, 0);
  const gap = Math.max(...counts) - Math.min(...counts);
  const figures = [...counts, ...old, ...withdrawn.map((fact) => fact.count), total, gap];
  if (new Set(figures).size < figures.length) return null;
  return {
    facts,
    notes: writeNotes(random, wanted, old, withdrawn),
    withdrawn: [
      ...old.map(String),
      ...withdrawn.flatMap(({ town, keeper, count }) => [town, keeper, String(count)]),
    ],
    orderText: order.text,
    total: level >= 2 ? total : null,
    gap: level >= 4 ? gap : null,
    minWords: level <= 2 ? 8 : random.int(12, 15),
    maxWords: level <= 2 ? 60 : random.int(30, 36),
  };
}

const orders = [
  {
    text: 'in alphabetical order of the towns',
    compare: (left: Fact, right: Fact) => (left.town < right.town ? -1 : 1),
  },
  {
    text: 'from the largest figure to the smallest',
    compare: (left: Fact, right: Fact) => right.count - left.count,
  },
  {
    text: 'from the smallest figure to the largest',
    compare: (left: Fact, right: Fact) => left.count - right.count,
  },
] as const;

function writeNotes(
  random: Random,
  wanted: readonly Fact[],
  old: readonly number[],
  withdrawn: readonly Fact[],
): string[] {
  const notes = random.shuffle([
    ...wanted.map((fact, at) => writeNote(random, fact, old[at] ?? fact.count)),
    ...withdrawn.map((fact) => writeNote(random, fact, fact.count)),
  ]);
  const later = random.shuffle([
    ...wanted
      .slice(0, old.length)
      .map(
        ({ town, count }) => `Correction: the figure for ${town} is ${count}. The earlier one was a mistake.`,
      ),
    ...withdrawn.map(({ town }) => `The report from ${town} was withdrawn. Nothing of it may be mentioned.`),
  ]);
  return [...notes, ...later];
}

function writeNote(random: Random, { town, keeper, trade, goods }: Fact, count: number): string {
  return random.pick([
    `${town}: ${trade}, kept by ${keeper}, ${count} ${goods}.`,
    `${keeper} keeps the ${trade} in ${town}, which made ${count} ${goods}.`,
    `${count} ${goods} came from the ${trade} in ${town} (keeper: ${keeper}).`,
  ]);
}
