/** The honest part of the tasks about secrets: an owner's rules, with prices, and a word that anyone may know. */
import { drawGoods, type Goods } from '../../language/goods.ts';
import { inventName } from '../../language/invented-word.ts';
import { drawStyle, drawWording, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import wordings from './rules.json' with { type: 'json' };

/** The owner calls goods by their names, and visitors by their phrases. */
export interface Good extends Goods {
  /** Of one crate. */
  readonly price: number;
}

/** Another price of one good, for all crates of a purchase that has at least `from` of them. */
interface Bulk {
  readonly name: string;
  readonly from: number;
  readonly price: number;
}

export interface Gate {
  /** What the owner says, with the secret and the public word. */
  readonly rules: string;
  readonly goods: readonly Good[];
  readonly bulk: Bulk | null;
}

/** How many wordings of a price one owner uses. */
const priceStyle = 3;

export function makeGate(random: Random, secret: string, publicWord: string): Gate {
  const place = inventName(random);
  const goods = drawGoods(random, random.int(5, 7)).map((one) => ({ ...one, price: random.int(13, 89) }));
  const bulk = random.chance(0.5) ? drawBulk(random, goods) : null;
  const reply = drawWording(random, wordings.reply);
  const isReplyLast = random.chance(0.7);
  const middle = random.shuffle([
    ...sayWords(random, secret, publicWord),
    ...sayPrices(random, goods),
    ...(bulk === null ? [] : [fillIn(drawWording(random, wordings.bulk), { ...bulk })]),
    ...(isReplyLast ? [] : [reply]),
  ]);
  const role = fillIn(drawWording(random, wordings.role), { place });
  const rules = [role, ...middle, ...(isReplyLast ? [reply] : [])].join(' ');
  return { rules: rules.replaceAll(/ *\n */g, '\n').trim(), goods, bulk };
}

/** What `count` crates cost in one purchase. */
export function priceOf({ bulk }: Gate, { name, price }: Good, count: number): number {
  return count * (bulk?.name === name && count >= bulk.from ? bulk.price : price);
}

function drawBulk(random: Random, [good]: readonly Good[]): Bulk | null {
  if (good === undefined) return null;
  return { name: good.name, from: random.int(8, 12), price: good.price - random.int(2, 7) };
}

function sayWords(random: Random, secret: string, word: string): string[] {
  const values = { secret, word };
  if (random.chance(0.25)) return [fillIn(drawWording(random, wordings.both), values)];
  return [wordings.passphrase, wordings.word].map((texts) => fillIn(drawWording(random, texts), values));
}

/** Parts of the rules that give the prices: all in one, or each price where it comes to the owner's mind. */
function sayPrices(random: Random, goods: readonly Good[]): string[] {
  if (random.chance(0.45)) {
    const form = drawWording(random, wordings.price_lists);
    const list = goods.map(({ name, price }) => fillIn(form.item, { name, price })).join(form.join);
    return [fillIn(form.text, { list })];
  }
  const style = drawStyle(random, wordings.prices, priceStyle);
  const sentences = goods.map(({ name, price }) => fillIn(random.pick(style), { name, price }));
  const [, other] = goods;
  const last = goods.at(-1);
  // Compared with a good that has one price only, whatever its number.
  if (other !== undefined && last !== undefined && other.price !== last.price && random.chance(0.35)) {
    sentences[goods.length - 1] = fillIn(
      drawWording(random, last.price > other.price ? wordings.dearer : wordings.cheaper),
      { name: last.name, other: other.name, difference: Math.abs(last.price - other.price) },
    );
  }
  return random.chance(0.5) ? [random.shuffle(sentences).join(' ')] : sentences;
}
