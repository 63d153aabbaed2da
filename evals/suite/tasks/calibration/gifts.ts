/**
 * What the entities of a dossier received from the governor. The text states a gift by a phrase and a question by its
 * name, so finding the entity of a question takes the meaning of the phrase. All goods of a dossier are of different
 * families, also those that were not given, so no question can mean two of them.
 */
import { drawGoods, type Goods } from '../../language/goods.ts';
import { drawStyle, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import type { Theme } from './themes.ts';
import wordings from './wordings.json' with { type: 'json' };

export interface Gifts {
  /** By entity. */
  readonly given: readonly Goods[];
  /** Goods that a sentence about the governor and an entity mentions, although the entity did not receive them. */
  readonly near: readonly { readonly entity: number; readonly goods: Goods }[];
  /** The words of one writer; `receiver` describes the entity that received a gift. */
  readonly style: Readonly<Record<'gift' | 'nearGift' | 'receiver', readonly string[]>>;
}

/** At most so many of the goods are what a theme itself is about. */
const spare = 4;

/** Gifts for `count` entities, a fifth of which also have goods that are no gift to them. */
export function drawGifts(random: Random, theme: Theme, count: number): Gifts {
  const nearCount = Math.floor(count / 5);
  const drawn = drawGoods(random, count + nearCount + spare);
  const goods = drawn.filter(({ name }) => !isTold(theme, name)).slice(0, count + nearCount);
  if (goods.length < count + nearCount) throw new RangeError('The theme is about too many goods.');
  const entities = random.sample(
    Array.from({ length: count }, (_, index) => index),
    nearCount,
  );
  const few = (texts: readonly string[]) => drawStyle(random, texts, 6);
  return {
    given: goods.slice(0, count),
    near: goods.slice(count).map((own, index) => ({ entity: entities[index] ?? 0, goods: own })),
    style: {
      gift: few(wordings.gift),
      nearGift: few(wordings.nearGift),
      receiver: few(wordings.receiver),
    },
  };
}

/** Whether the theme is about the goods itself: an inn with 20 beds, or one that buys all its bread, is given neither. */
function isTold({ numbers, follows }: Theme, name: string): boolean {
  const pattern = new RegExp(String.raw`\b${name.replace(/s$/, '')}s?\b`);
  return [...numbers.flatMap(({ text }) => text), ...follows].some((text) => pattern.test(text));
}

/** All sentences about goods, with the entities called as `entityOf` says. */
export function stateGifts(random: Random, gifts: Gifts, entityOf: (entity: number) => string): string[] {
  const { given, near, style } = gifts;
  const say = (texts: readonly string[], entity: number, { phrases }: Goods) =>
    fillIn(random.pick(texts), { x: entityOf(entity), what: random.pick(phrases) });
  return [
    ...given.map((goods, entity) => say(style.gift, entity, goods)),
    ...near.map(({ entity, goods }) => say(style.nearGift, entity, goods)),
  ];
}

/** The entity that received the goods, as a question calls it. */
export function describeReceiver(random: Random, { style }: Gifts, noun: string, { name }: Goods): string {
  return fillIn(random.pick(style.receiver), { noun, what: name });
}
