/**
 * A store-room simulation, run day by day. An order is judged by its expected loss against the best order for that day
 * and stock, so luck does not count. Only the best orders lose nothing.
 */
import type { Random } from '../../suite/random.ts';
import type { StoreDials } from '../dials.ts';
import { bestOrders, type Pair } from './best-orders.ts';
import { demandOn, drawTerms, leftOver, shelf, type StoreTerms } from './terms.ts';

/** A closed day. */
export interface StoreDay {
  readonly day: number;
  /** In pieces, in the morning. */
  readonly stock: Pair;
  readonly packs: Pair;
}

export interface StoreRoom {
  readonly terms: StoreTerms;
  /** The most that all orders together may lose, as a share of the best expected profit. */
  readonly loss: number;
  /** The demand of each day, hidden until that day is closed. */
  readonly demand: readonly Pair[];
  readonly stock: Pair;
  readonly past: readonly StoreDay[];
}

export function openStore(
  random: Random,
  names: Parameters<typeof drawTerms>[1],
  { days, loss }: StoreDials,
): StoreRoom {
  const terms = drawTerms(random, names, days);
  const [first, second] = terms.products;
  const demand = Array.from({ length: days }, (_, index): Pair => [
    random.pick(demandOn(first, index + 1)),
    random.pick(demandOn(second, index + 1)),
  ]);
  return { terms, loss, demand, stock: [first.start, second.start], past: [] };
}

/** The open day, counted from 1; null after the last day. */
export function dayOf({ terms, past }: StoreRoom): number | null {
  return past.length < terms.days ? past.length + 1 : null;
}

export interface Evening {
  readonly demand: number;
  readonly sold: number;
  readonly spoiled: number;
  /** Also the pieces that did not fit on the shelf. */
  readonly delivered: number;
  /** In stock the next morning. */
  readonly stock: number;
}

/** Places the order of the open day and closes the day. */
export function closeDay(room: StoreRoom, packs: Pair): { room: StoreRoom; evenings: readonly Evening[] } {
  const { terms, past, stock, demand } = room;
  const day = past.length + 1;
  const evenings = terms.products.map((product, index): Evening => {
    const [wanted, had, ordered] = [demand[day - 1]?.[index] ?? 0, stock[index] ?? 0, packs[index] ?? 0];
    const sold = Math.min(wanted, had);
    const left = leftOver(product, had - sold);
    const spoiled = had - sold - left;
    const next = Math.min(shelf, left + ordered * product.pack);
    return { demand: wanted, sold, spoiled, delivered: ordered * product.pack, stock: next };
  });
  const [one, other] = evenings as [Evening, Evening];
  const closed = {
    ...room,
    stock: [one.stock, other.stock],
    past: [...past, { day, stock, packs }],
  } as const;
  return { room: closed, evenings };
}

export interface StoreVerdict {
  /** The total loss of the orders, as a share of the best expected profit. */
  readonly lost: number;
  /** The number of days whose order loses at most the allowed loss divided by the number of days. */
  readonly right: number;
  readonly isOver: boolean;
  /** The orders that lose the most, as text. */
  readonly worst: readonly string[];
}

const worstMax = 3;

export function judge({ terms, loss, past }: StoreRoom): StoreVerdict {
  const best = bestOrders(terms);
  const [first, second] = terms.products;
  const most = best.valueOf(1, [first.start, second.start]);
  const days = past.map(({ day, stock, packs }) => ({
    day,
    packs,
    better: best.best(day, stock),
    lost: Math.max(0, best.valueOf(day, stock) - best.valueWith(day, stock, packs)) / most,
  }));
  const share = loss / terms.days;
  return {
    lost: days.reduce((sum, { lost }) => sum + lost, 0),
    right: days.filter(({ lost }) => lost <= share).length,
    isOver: past.length === terms.days,
    worst: days
      .filter(({ lost }) => lost > share)
      .toSorted((one, other) => other.lost - one.lost)
      .slice(0, worstMax)
      .map(
        ({ day, packs, better, lost }) =>
          `day ${day}: ${namePacks(terms, packs)}, best ${namePacks(terms, better)} (${showPercent(lost)})`,
      ),
  };
}

/** "BK221 2, TR905 0 packs" */
function namePacks({ products }: StoreTerms, packs: Pair): string {
  return `${products.map(({ product_id }, index) => `${product_id} ${packs[index]}`).join(', ')} packs`;
}

/** "0.254%" */
export function showPercent(share: number): string {
  return `${Number((100 * share).toPrecision(3))}%`;
}
