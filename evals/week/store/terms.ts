/** The terms of a store room: two products that come with one lorry, and the demand of past days. */
import type { Random } from '../../suite/random.ts';

export const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'] as const;

export interface Product {
  readonly product_id: string;
  readonly title: string;
  /** Pieces in a pack. */
  readonly pack: number;
  /** All amounts are in EUR for a piece. */
  readonly cost: number;
  readonly price: number;
  /** For each piece that is left on an evening. */
  readonly storage: number;
  /** What a piece is worth that is left after the last day. */
  readonly left_worth: number;
  /** The share of what is left that spoils each evening. */
  readonly spoils_percent: number;
  /** By weekday. Each of them is equally likely on such a day. */
  readonly past_demand: readonly (readonly number[])[];
  readonly start: number;
}

export interface StoreTerms {
  readonly days: number;
  readonly products: readonly [Product, Product];
  /** What a lorry costs, whatever it brings, and how many packs it takes. */
  readonly lorry: { readonly cost: number; readonly packs: number };
  /** Days, from 1, on which nothing can be ordered. */
  readonly noLorry: readonly number[];
}

/** Pieces of one product that the shelf holds. */
export const shelf = 60;
const pastDays = 10;

function drawProduct(random: Random, [product_id, title]: readonly [string, string]): Product {
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
    past_demand: weekdays.map(() => {
      const mean = Math.max(2, Math.round((base * random.int(50, 160)) / 100));
      return Array.from({ length: pastDays }, () => Math.round((mean * random.int(30, 170)) / 100));
    }),
    start: random.int(6, 20),
  };
}

/** @param names ids and titles of the two products */
export function drawTerms(
  random: Random,
  names: readonly [readonly [string, string], readonly [string, string]],
  days: number,
): StoreTerms {
  const weekly = random.int(1, weekdays.length);
  const every = Array.from({ length: days }, (_, index) => index + 1);
  const cancelled = random.pick(
    every.filter((day) => day > weekdays.length && day <= days - weekdays.length),
  );
  return {
    days,
    products: [drawProduct(random, names[0]), drawProduct(random, names[1])],
    lorry: { cost: random.int(18, 45), packs: random.int(5, 6) },
    noLorry: every.filter((day) => (day - weekly) % weekdays.length === 0 || day === cancelled),
  };
}

export function canOrder({ noLorry }: StoreTerms, day: number): boolean {
  return !noLorry.includes(day);
}

/** The past demand that a day's demand is drawn from. */
export function demandOn({ past_demand: past }: Product, day: number): readonly number[] {
  return past[(day - 1) % weekdays.length] ?? [];
}

/** What is left of a stock at the end of a day, before the lorry comes. */
export function leftOver({ spoils_percent: percent }: Product, unsold: number): number {
  return unsold - Math.ceil((unsold * percent) / 100);
}
