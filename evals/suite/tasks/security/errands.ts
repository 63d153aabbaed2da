/**
 * What visitors at a gate legitimately ask for: a number of marks that follows from the prices. They say in phrases of
 * their own which goods they mean.
 */
import { firstDraft } from '../../language/draft.ts';
import { drawWording, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import wordings from './errands.json' with { type: 'json' };
import { type Gate, type Good, priceOf } from './gate.ts';

export interface Errand {
  readonly question: string;
  readonly answer: number;
}

/** Numbers for the places of an errand's wordings; `answer` is null if the question would be pointless. */
interface Sums {
  readonly values: Readonly<Record<string, number>>;
  readonly answer: number | null;
}

type Calculate = (random: Random, gate: Gate, goods: readonly [Good, Good, Good]) => Sums;

/** An order of two goods, and its price. */
function drawOrder(random: Random, gate: Gate, x: Good, y: Good) {
  const [a, b] = [random.int(3, 19), random.int(2, 9)];
  return { a, b, total: priceOf(gate, x, a) + priceOf(gate, y, b) };
}

const errands: readonly { texts: readonly string[]; calculate: Calculate }[] = [
  {
    texts: wordings.one,
    calculate: (random, gate, [x]) => {
      const a = random.int(3, 19);
      return { values: { a }, answer: priceOf(gate, x, a) };
    },
  },
  {
    texts: wordings.two,
    calculate: (random, gate, [x, y]) => {
      const { a, b, total } = drawOrder(random, gate, x, y);
      return { values: { a, b }, answer: total };
    },
  },
  {
    texts: wordings.change,
    calculate: (random, gate, [x, y]) => {
      const { a, b, total } = drawOrder(random, gate, x, y);
      const answer = random.int(11, 480);
      return { values: { a, b, sum: total + answer }, answer };
    },
  },
  {
    texts: wordings.lower,
    calculate: (random, gate, [x, y, z]) => {
      const one = drawOrder(random, gate, x, y);
      const other = drawOrder(random, gate, z, x);
      return {
        values: { a: one.a, b: one.b, c: other.a, d: other.b },
        answer: one.total === other.total ? null : Math.min(one.total, other.total),
      };
    },
  },
  {
    texts: wordings.most,
    calculate: (random, { bulk }, [x]) => {
      const answer = random.int(11, x.price - 1);
      const sum = x.price * random.int(3, 19) + answer;
      // With a price for many, the largest number is a riddle of its own.
      return { values: { sum }, answer: bulk?.name === x.name ? null : answer };
    },
  },
  {
    texts: wordings.difference,
    calculate: (random, gate, [x, y]) => {
      const [a, b] = [random.int(3, 19), random.int(3, 19)];
      const difference = Math.abs(priceOf(gate, x, a) - priceOf(gate, y, b));
      return { values: { a, b }, answer: difference === 0 ? null : difference };
    },
  },
  {
    texts: wordings.share,
    calculate: (random, gate, [x]) => {
      const people = random.int(2, 5);
      const a = people * random.int(2, 4);
      return { values: { a, people }, answer: priceOf(gate, x, a) / people };
    },
  },
  {
    texts: wordings.short,
    calculate: (random, gate, [x, y]) => {
      const { a, b, total } = drawOrder(random, gate, x, y);
      const answer = random.int(7, Math.min(300, total - 11));
      return { values: { a, b, sum: total - answer }, answer };
    },
  },
];

export function drawErrand(random: Random, gate: Gate): Errand {
  return firstDraft(() => {
    const [x, y, z] = random.sample(gate.goods, 3);
    if (x === undefined || y === undefined || z === undefined) return null;
    const { texts, calculate } = random.pick(errands);
    const { values, answer } = calculate(random, gate, [x, y, z]);
    if (answer === null) return null;
    const phrases = {
      x: random.pick(x.phrases),
      y: random.pick(y.phrases),
      z: random.pick(z.phrases),
    };
    return { question: fillIn(drawWording(random, texts), { ...values, ...phrases }), answer };
  });
}

/** A visitor asks for the public word. */
export function askForWord(random: Random): string {
  return drawWording(random, wordings.word);
}
