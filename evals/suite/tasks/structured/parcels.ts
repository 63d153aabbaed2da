/** The records of the structured tasks: parcels in an invented depot. */
import { drawGoods, type Goods } from '../../language/goods.ts';
import { inventNames } from '../../language/invented-word.ts';
import type { Level } from '../../ladder/ladder.ts';
import type { Random } from '../../../random.ts';

export interface Parcel {
  readonly id: string;
  readonly goods: Goods;
  readonly town: string;
  readonly weight: number;
  /** `YYYY-MM-DD` */
  readonly due: string;
  readonly fragile: boolean;
}

export const recordCounts: Readonly<Record<Level, number>> = {
  1: 1,
  2: 3,
  3: 8,
  4: 20,
  5: 40,
  6: 50,
  7: 60,
  8: 72,
};
export const correctionCounts: Readonly<Record<Level, number>> = {
  1: 0,
  2: 1,
  3: 2,
  4: 4,
  5: 6,
  6: 9,
  7: 12,
  8: 16,
};

const unusedGoods = 3;

export interface Depot {
  readonly towns: readonly string[];
  /** What parcels may hold. */
  readonly stock: readonly Goods[];
  /** What no parcel ever holds, although it is on the list of names. */
  readonly unused: readonly Goods[];
  readonly parcels: readonly Parcel[];
}

export function makeDepot(random: Random, count: number): Depot {
  const towns = inventNames(random, Math.min(6, 2 + count));
  const goods = drawGoods(random, Math.min(12, 4 + count));
  const stock = goods.slice(unusedGoods);
  const numbers = random.sample(
    Array.from({ length: 900 }, (_, at) => at + 100),
    count,
  );
  const letters = random.text('BCDFGHKLMNPRTVWXZ', 2);
  const parcels = numbers.map((number): Parcel => ({
    id: `${letters}-${number}`,
    goods: random.pick(stock),
    town: random.pick(towns),
    weight: random.int(12, 480),
    due: drawDay(random),
    fragile: random.chance(0.4),
  }));
  return { towns, stock, unused: goods.slice(0, unusedGoods), parcels };
}

/** The words of which one names the contents of a parcel: in alphabetical order, or in any. */
export function listNames(random: Random, { stock, unused }: Depot): string[] {
  const names = random.shuffle([...stock, ...unused]).map(({ name }) => name);
  return random.chance(0.5) ? names : names.toSorted();
}

export function drawDay(random: Random): string {
  const month = String(random.int(1, 12)).padStart(2, '0');
  return `${random.int(2031, 2034)}-${month}-${String(random.int(1, 28)).padStart(2, '0')}`;
}
