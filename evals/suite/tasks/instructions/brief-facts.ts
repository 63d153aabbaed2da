/**
 * The facts of a brief: workshops in invented towns, some with a figure that is corrected or withdrawn. Notes describe
 * what a workshop deals in, and later ones may refer to it by another description, so following them takes its meaning.
 */
import type { Level } from '../../ladder/ladder.ts';
import { drawGoods, type Goods } from '../../language/goods.ts';
import { inventNames } from '../../language/invented-word.ts';
import { drawStyle, drawWording, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import wordings from './brief-wordings.json' with { type: 'json' };

export interface Fact {
  readonly town: string;
  readonly keeper: string;
  readonly goods: Goods;
  readonly count: number;
}

export interface Brief {
  /** In the order in which the text must report them. */
  readonly facts: readonly Fact[];
  /** As the prompt lists them, including outdated figures. */
  readonly notes: readonly string[];
  /** Figures and names that must not occur. */
  readonly withdrawn: readonly string[];
  /** The names of all goods, and of some that no workshop deals in. */
  readonly listed: readonly string[];
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

/** The share of later notes that refer to a workshop by its goods. */
const byGoodsShare = 0.5;

export function drawBrief(random: Random, level: Level): Brief | null {
  const count = factCounts[level];
  const out = withdrawnCounts[level];
  const names = inventNames(random, 2 * (count + out));
  const goods = drawGoods(random, count + out + random.int(3, 4));
  const all = goods.slice(0, count + out).map((dealtIn, at): Fact => ({
    town: names[2 * at] ?? '',
    keeper: names[2 * at + 1] ?? '',
    goods: dealtIn,
    count: random.int(112, 989),
  }));
  const listed = random.shuffle(goods.map(({ name }) => name));
  const told = [...names, ...all.flatMap((fact) => fact.goods.phrases)]
    .join(' ')
    .toLowerCase()
    .split(/[^a-z]+/);
  // Repeating a note must never bring in another word of the list.
  if (listed.some((name) => told.includes(name))) return null;
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
    listed,
    orderText: drawWording(random, order.texts),
    total: level >= 2 ? total : null,
    gap: level >= 4 ? gap : null,
    minWords: level <= 2 ? 8 : random.int(12, 15),
    maxWords: level <= 2 ? 60 : random.int(30, 36),
  };
}

const orders = [
  {
    texts: wordings.orders.town,
    compare: (left: Fact, right: Fact) => (left.town < right.town ? -1 : 1),
  },
  {
    texts: wordings.orders.falling,
    compare: (left: Fact, right: Fact) => right.count - left.count,
  },
  {
    texts: wordings.orders.rising,
    compare: (left: Fact, right: Fact) => left.count - right.count,
  },
] as const;

/** One writer words all notes alike. */
function writeNotes(
  random: Random,
  wanted: readonly Fact[],
  old: readonly number[],
  withdrawn: readonly Fact[],
): string[] {
  const noteStyle = drawStyle(random, wordings.notes, 3);
  const correctionStyle = drawLaterStyle(random, wordings.corrections, wordings.goods_corrections);
  const withdrawalStyle = drawLaterStyle(random, wordings.withdrawals, wordings.goods_withdrawals);
  const note = ({ town, keeper, goods: { phrases }, count }: Fact) =>
    fillIn(random.pick(noteStyle), { town, keeper, what: phrases[0] ?? '', count });
  const later = (style: LaterStyle, fact: Fact, figures: { count: number; old?: number }) => {
    const { town, keeper, goods } = fact;
    const what = random.pick([goods.phrases[1] ?? '', goods.name]);
    const texts = random.chance(byGoodsShare) ? style.byGoods : style.byPlace;
    return fillIn(random.pick(texts), { town, keeper, what, ...figures });
  };
  const notes = random.shuffle([
    ...wanted.map((fact, at) => note({ ...fact, count: old[at] ?? fact.count })),
    ...withdrawn.map(note),
  ]);
  const changes = random.shuffle([
    ...old.flatMap((figure, at) => {
      const fact = wanted[at];
      return fact === undefined ? [] : [later(correctionStyle, fact, { count: fact.count, old: figure })];
    }),
    ...withdrawn.map((fact) => later(withdrawalStyle, fact, { count: fact.count })),
  ]);
  return [...notes, ...changes];
}

/** How a writer changes notes, referring to a workshop by its town or keeper or by its goods. */
interface LaterStyle {
  readonly byPlace: readonly string[];
  readonly byGoods: readonly string[];
}

function drawLaterStyle(random: Random, byPlace: readonly string[], byGoods: readonly string[]): LaterStyle {
  return { byPlace: drawStyle(random, byPlace, 2), byGoods: drawStyle(random, byGoods, 2) };
}
