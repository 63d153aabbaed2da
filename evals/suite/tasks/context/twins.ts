/**
 * A long log with many similar entries, and a question about the n-th entry that matches in every point. Near-twins
 * differ from it in one point, and entries that were struck out do not count. The keeper has phrases of his own for
 * goods, so matching them takes their meaning: a second good has as many entries of each sort as the asked one, so
 * counting does not tell which phrases mean it.
 */
import { exactTask } from '../../exact-task.ts';
import type { Level } from '../../ladder/ladder.ts';
import { askForAnswer } from '../../language/ask-for-answer.ts';
import { firstDraft } from '../../language/draft.ts';
import { drawGoods, type Goods } from '../../language/goods.ts';
import { inventManyNames, inventManyWords } from '../../language/many-words.ts';
import { capital, ordinal } from '../../language/sentence.ts';
import { drawStyle, drawWording, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import type { Kind, Task, TaskLimits } from '../../task.ts';
import wordings from './log-wordings.json' with { type: 'json' };
import { textLength } from './long-text.ts';

export interface Entry {
  /** By point: who, what, where, how. */
  readonly points: readonly number[];
  readonly receipt: string;
  readonly isStruck: boolean;
}

const goodsEach = 10;
/** The place of the goods among the points. */
const goodsPoint = 1;
const gates = 'north south east west river market bridge garden'.split(' ');
/** Each in the words of the question and in other words. */
const ways = [
  ['by cart', 'on a cart'],
  ['by barge', 'on a barge'],
  ['on foot', 'on foot'],
  ['by mule', 'on a mule'],
  ['by sledge', 'on a sledge'],
] as const;

/** The number of matching entries, and for each point but the goods the number of entries that differ in it. */
const sizes: Readonly<
  Record<Level, { readonly matches: number; readonly twinsEach: number; readonly struck: number }>
> = {
  1: { matches: 3, twinsEach: 2, struck: 0 },
  2: { matches: 5, twinsEach: 3, struck: 0.1 },
  3: { matches: 8, twinsEach: 5, struck: 0.15 },
  4: { matches: 12, twinsEach: 8, struck: 0.2 },
  5: { matches: 18, twinsEach: 12, struck: 0.25 },
  6: { matches: 24, twinsEach: 16, struck: 0.3 },
  7: { matches: 30, twinsEach: 20, struck: 0.3 },
  8: { matches: 38, twinsEach: 24, struck: 0.35 },
};

export const twins: Kind = {
  name: 'twins',
  make: (random, level, limits) => firstDraft(() => draft(random, level, limits)),
};

function draft(random: Random, level: Level, limits: TaskLimits): Task | null {
  const { matches, struck } = sizes[level];
  const people = inventManyNames(random, 12);
  const style = drawLogStyle(random);
  const pools = [people, style.goods.map(({ name }) => name), gates, ways.map(([way]) => way)];
  const wanted = pools.map((pool) => random.int(0, pool.length - 1));
  const other = wanted.with(goodsPoint, indexBeside(random, style.goods, wanted[goodsPoint]));
  const planted = plantEntries(random, level, [wanted, other], pools);
  const both = [wanted, other].flatMap((points) => style.goods[points[goodsPoint] ?? 0] ?? []);
  const surplus = planted.length * (phraseLength(both) - phraseLength(style.goods));
  const characters = charactersAnEntry(style, people, struck);
  const count = Math.floor((textLength(level, limits) - surplus) / characters);
  const entries = drawEntries(random, struck, planted, pools, count);
  const alike = entriesAt(entries, wanted);
  const counted = alike.filter(({ isStruck }) => !isStruck);
  const rivals = entriesAt(entries, other).filter(({ isStruck }) => !isStruck);
  if (counted.length < matches / 2 || counted.length < 3) return null;
  const fromEnd = random.chance(0.4);
  const place = random.int(2, counted.length - 1);
  const at = (list: readonly Entry[], rank: number) => list.at(fromEnd ? -rank : rank - 1)?.receipt ?? '';
  const [who = '', what = '', where = '', how = ''] = pools.map(
    (pool, index) => pool[wanted[index] ?? 0] ?? '',
  );
  const question = fillIn(drawWording(random, wordings.question), {
    who,
    what,
    where,
    how,
    rule: struck > 0 ? ` ${drawWording(random, wordings.rule)}` : '',
    nth: ordinal(place),
    number: place,
    side: fromEnd ? 'end' : 'beginning',
    edge: fromEnd ? 'bottom' : 'top',
    direction: fromEnd ? 'backwards' : 'forwards',
  });
  return exactTask({
    prompt: [
      drawWording(random, wordings.opening),
      tell(random, style, pools, entries),
      `${capital(question)} ${askForAnswer(random, 'the one receipt word')}`,
    ].join('\n\n'),
    type: 'word',
    value: at(counted, place),
    skill: 'near-twins',
    mistakes: [
      at(counted, place + 1),
      at(counted, place - 1),
      at(alike, place),
      at(rivals, place),
      at(counted.toReversed(), place),
    ],
  });
}

function entriesAt(entries: readonly Entry[], asked: readonly number[]): Entry[] {
  return entries.filter(({ points }) => points.every((point, index) => point === asked[index]));
}

/**
 * The entries with one of two goods, as many with each: those that match in all other points and those that differ in
 * one of them. A few more match in all points but have other goods.
 *
 * @param both the points of a match, with the asked goods and with the others
 */
function plantEntries(
  random: Random,
  level: Level,
  both: readonly (readonly number[])[],
  pools: readonly (readonly string[])[],
): (readonly number[])[] {
  const { matches, twinsEach } = sizes[level];
  const planted = Array.from({ length: matches }, () => both).flat();
  for (const [index, pool] of pools.entries()) {
    if (index === goodsPoint) continue;
    for (let twin = 0; twin < twinsEach; twin += 1) {
      planted.push(...both.map((points) => points.with(index, indexBeside(random, pool, points[index]))));
    }
  }
  const [wanted = []] = both;
  const asked = both.map((points) => points[goodsPoint]);
  for (let few = 0; few < twinsEach / 4; few += 1) {
    const goods = random.int(0, goodsEach - 1);
    if (!asked.includes(goods)) planted.push(wanted.with(goodsPoint, goods));
  }
  return planted;
}

/** An index of `pool` other than `index`. */
function indexBeside(random: Random, pool: readonly unknown[], index = 0): number {
  const other = random.int(0, pool.length - 2);
  return other >= index ? other + 1 : other;
}

function drawEntries(
  random: Random,
  struck: number,
  planted: readonly (readonly number[])[],
  pools: readonly (readonly string[])[],
  count: number,
): Entry[] {
  const receipts = inventManyWords(random, count);
  const drawn = planted.slice(0, count);
  while (drawn.length < count) drawn.push(pools.map((pool) => random.int(0, pool.length - 1)));
  return random.shuffle(drawn).map((points, index) => ({
    points,
    receipt: receipts[index] ?? '',
    isStruck: random.chance(struck),
  }));
}

/** How one keeper writes entries and strikes them out. */
interface LogStyle {
  readonly entry: readonly string[];
  readonly struck: readonly string[];
  readonly goods: readonly Goods[];
}

function drawLogStyle(random: Random): LogStyle {
  return {
    entry: drawStyle(random, wordings.entry, 4),
    struck: drawStyle(random, wordings.struck, 2),
    goods: drawGoods(random, goodsEach),
  };
}

/** The average length of an entry, with its line break. */
function charactersAnEntry(
  { entry, struck, goods: own }: LogStyle,
  people: readonly string[],
  share: number,
): number {
  const bare = (texts: readonly string[]) =>
    meanLength(texts.map((text) => text.replaceAll(/\{[a-z]+\}/g, '')));
  const points = meanLength(people) + phraseLength(own) + meanLength(gates) + meanLength(ways.flat());
  return bare(entry) + points + receiptLength + share * bare(struck) + 1;
}

/** A little more than the average, so that a text stays below its length. */
const receiptLength = 10;

function phraseLength(own: readonly Goods[]): number {
  return meanLength(own.flatMap(({ phrases }) => phrases));
}

function meanLength(texts: readonly string[]): number {
  return texts.join('').length / texts.length;
}

function tell(
  random: Random,
  style: LogStyle,
  pools: readonly (readonly string[])[],
  entries: readonly Entry[],
): string {
  const lines = entries.map(({ points, receipt, isStruck }) => {
    const [who = '', , where = ''] = pools.map((pool, index) => pool[points[index] ?? 0] ?? '');
    const what = random.pick(style.goods[points[goodsPoint] ?? 0]?.phrases ?? []);
    const how = random.pick(ways[points[3] ?? 0] ?? []);
    const entry = capital(fillIn(random.pick(style.entry), { who, what, where, how, receipt }));
    return isStruck ? fillIn(random.pick(style.struck), { entry }) : entry;
  });
  return lines.join('\n');
}
