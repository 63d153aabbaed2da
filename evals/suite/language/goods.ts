/**
 * Goods that a text names by phrases of its own ("twisted hemp for mooring ships") and a question by their names
 * ("rope"). A phrase shares no content word with the name, and each text has a few of the many, so telling them apart
 * takes their meaning.
 */
import type { Random } from '../../random.ts';
import food from './goods/food.json' with { type: 'json' };
import growing from './goods/growing.json' with { type: 'json' };
import home from './goods/home.json' with { type: 'json' };
import leisure from './goods/leisure.json' with { type: 'json' };
import living from './goods/living.json' with { type: 'json' };
import make from './goods/make.json' with { type: 'json' };
import play from './goods/play.json' with { type: 'json' };
import wear from './goods/wear.json' with { type: 'json' };

export interface Goods {
  readonly name: string;
  /** Phrases for goods of one family may be taken for each other, so no text has two of them. */
  readonly family: string;
  /** Noun phrases without an article, in the plural or of an uncountable noun. */
  readonly phrases: readonly string[];
}

export const goods: readonly Goods[] = [
  ...food,
  ...make,
  ...play,
  ...wear,
  ...growing,
  ...living,
  ...leisure,
  ...home,
];

const phrasesInText = 2;

/** Goods of different families, each with the phrases that one text uses. */
export function drawGoods(random: Random, count: number): readonly Goods[] {
  const drawn = new Map<string, Goods>();
  for (const one of random.shuffle(goods)) {
    if (drawn.size === count) break;
    if (!drawn.has(one.family))
      drawn.set(one.family, { ...one, phrases: random.sample(one.phrases, phrasesInText) });
  }
  if (drawn.size < count) throw new RangeError('There are not as many families of goods.');
  return [...drawn.values()];
}
