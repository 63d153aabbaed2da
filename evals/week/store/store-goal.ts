/** The store-room simulation as part of a task: the request, the grade, and the reference solution. */
import type { Oracle } from '../oracle.ts';
import { bestOrders, type Pair } from './best-orders.ts';
import { judge, showPercent, type StoreRoom } from './store-room.ts';
import { type StoreTerms, weekdays } from './terms.ts';

export function requestStore({ terms, loss }: StoreRoom): string {
  const names = terms.products.map(({ title }) => title).join(' and ');
  return `Before you report, also run the store-room simulation (${names}) for all ${terms.days} days: read its rules with store_read, and place the order for each day with store_order. In total, your orders may lose at most ${showPercent(loss)} of the best possible expected profit. The report does not mention the simulation.`;
}

export interface StoreGrade {
  /** What was required. */
  readonly what: string;
  /** How the requirement was missed; null if it was met. */
  readonly fault: string | null;
  /** Each day is a sub-goal. */
  readonly right: number;
  readonly of: number;
}

export function gradeStore(room: StoreRoom): StoreGrade {
  const { lost, right, isOver, worst } = judge(room);
  const { days } = room.terms;
  const what = `store room: orders for all ${days} days, losing at most ${showPercent(room.loss)} of the best expected profit in total`;
  if (!isOver)
    return { what, fault: `only ${room.past.length} of ${days} days were closed`, right, of: days };
  if (lost <= room.loss) return { what, fault: null, right: days, of: days };
  return {
    what,
    fault: `the orders lose ${showPercent(lost)}, most of it here: ${worst.join('; ')}`,
    right,
    of: days,
  };
}

/** The part of a `store_read` result that the reference uses. */
interface Seen {
  readonly terms: Pick<StoreTerms, 'days'> & {
    readonly lorry: {
      readonly cost: number;
      readonly packs_at_most: number;
      readonly none_on_days: number[];
    };
    readonly products: readonly (Omit<StoreTerms['products'][number], 'past_demand' | 'start'> & {
      readonly past_demand: Readonly<Record<string, number[]>>;
      readonly stock_on_day_1: number;
    })[];
  };
}

interface State {
  readonly day: number | null;
  readonly stock: readonly { readonly product_id: string; readonly pieces: number }[];
}

function termsOf({ terms: { days, lorry, products } }: Seen): StoreTerms {
  const read = products.map(({ stock_on_day_1: start, past_demand: past, ...product }) => ({
    ...product,
    past_demand: weekdays.map((name) => past[name] ?? []),
    start,
  }));
  return {
    days,
    // There are two.
    products: read as unknown as StoreTerms['products'],
    lorry: { cost: lorry.cost, packs: lorry.packs_at_most },
    noLorry: lorry.none_on_days,
  };
}

/** Places the best orders, computed from the terms that `store_read` returns. */
export function playStore(oracle: Oracle): void {
  // The two tools return these shapes.
  const seen = oracle.call('store_read', {}) as unknown as Seen & State;
  const terms = termsOf(seen);
  const best = bestOrders(terms);
  for (let state: State = seen; state.day !== null;) {
    const { day, stock } = state;
    const packs = best.best(day, stock.map(({ pieces }) => pieces) as unknown as Pair);
    const items = terms.products.map(({ product_id }, index) => ({ product_id, packs: packs[index] }));
    const result = oracle.call('store_order', { day, packs: items });
    const { error } = result;
    if (error !== undefined && error !== 'timeout' && error !== 'wrong_day')
      throw new Error(`The reference could not order: ${JSON.stringify(result)}`);
    // After a timeout, the day may or may not be closed. An order for a closed day changes nothing.
    if (error !== 'timeout') state = result as unknown as State;
  }
}
