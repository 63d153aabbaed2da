/** The terms of a store-room simulation: two products that share one lorry, and their past demand. */
import type { Random } from '../../suite/random.ts';

export const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'] as const;

export interface Product {
  readonly product_id: string;
  readonly title: string;
  /** Pieces in a pack. */
  readonly pack: number;
  /** In EUR per piece, like the other amounts of a product. */
  readonly cost: number;
  readonly price: number;
  /** Per piece left in the evening, after spoilage and before the delivery. */
  readonly storage: number;
  /** The value of a piece in stock after the delivery of the last day. */
  readonly left_worth: number;
  /** The percentage of the unsold pieces that spoils each evening, rounded up to whole pieces. */
  readonly spoils_percent: number;
  /** By week: the drawn demand is multiplied by this percentage. It changes, so a plan for one week fits no other. */
  readonly demand_percent: readonly number[];
  /** By weekday. A day's demand is drawn uniformly from its list and multiplied by the percentage of its week. */
  readonly past_demand: readonly (readonly number[])[];
  /** Pieces in stock on the morning of day 1. */
  readonly start: number;
}

export interface StoreTerms {
  readonly days: number;
  readonly products: readonly [Product, Product];
  /** The cost of a delivery in EUR, whatever the load, and the capacity in packs of both products. */
  readonly lorry: { readonly cost: number; readonly packs: number };
  /** Days, counted from 1, on which no lorry comes and nothing can be ordered. */
  readonly noLorry: readonly number[];
}

/** The capacity of the shelf, in pieces of each product. */
export const shelf = 60;
const pastDays = 10;

function drawProduct(random: Random, [product_id, title]: readonly [string, string], weeks: number): Product {
  const base = random.int(6, 12);
  const cost = random.int(6, 14);
  return {
    product_id,
    title,
    pack: random.int(4, 8),
    cost,
    price: cost + random.int(3, 9),
    storage: random.int(5, 20) / 10,
    left_worth: Math.round(cost * 0.4),
    spoils_percent: random.int(4, 16),
    demand_percent: Array.from({ length: weeks }, () => 5 * random.int(10, 32)),
    past_demand: weekdays.map(() => {
      const mean = Math.max(2, Math.round((base * random.int(50, 160)) / 100));
      return Array.from({ length: pastDays }, () => Math.round((mean * random.int(30, 170)) / 100));
    }),
    start: random.int(6, 20),
  };
}

/** How many lorries the margin of a mean day must pay for. Ordering nothing then loses a quarter of the profit or more. */
const lorriesMin = 1.5;

/** What the demand of a mean day earns, before lorries. */
function marginOf({ price, cost, storage, past_demand: past }: Product): number {
  const demand = past.flat();
  return ((price - cost - storage) * demand.reduce((sum, one) => sum + one, 0)) / demand.length;
}

/** @param names ids and titles of the two products */
export function drawTerms(
  random: Random,
  names: readonly [readonly [string, string], readonly [string, string]],
  days: number,
): StoreTerms {
  const weeks = Math.ceil(days / weekdays.length);
  const noLorry = Array.from(
    { length: weeks },
    (_, week) => week * weekdays.length + random.int(1, weekdays.length),
  );
  for (;;) {
    const products = [drawProduct(random, names[0], weeks), drawProduct(random, names[1], weeks)] as const;
    const lorry = { cost: random.int(18, 45), packs: random.int(5, 6) };
    if (marginOf(products[0]) + marginOf(products[1]) >= lorriesMin * lorry.cost)
      return { days, products, lorry, noLorry };
  }
}

export function canOrder({ noLorry }: StoreTerms, day: number): boolean {
  return !noLorry.includes(day);
}

/** What a day's demand may be, each equally likely: past demand, multiplied by the percentage of the week. */
export function demandOn(
  { past_demand: past, demand_percent: percents }: Product,
  day: number,
): readonly number[] {
  const percent = percents[Math.floor((day - 1) / weekdays.length)] ?? 100;
  return (past[(day - 1) % weekdays.length] ?? []).map((pieces) => Math.round((pieces * percent) / 100));
}

/** The pieces left after spoilage, before the delivery. */
export function leftOver({ spoils_percent: percent }: Product, unsold: number): number {
  return unsold - Math.ceil((unsold * percent) / 100);
}
