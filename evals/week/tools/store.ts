/** The rehearsal of a store room: its terms and how it stands, and the order of a day. */
import { Type } from 'typebox';
import { canOrder, shelf, type StoreTerms, weekdays } from '../store/terms.ts';
import { closeDay, dayOf, showPercent, type StoreRoom } from '../store/store-room.ts';
import { declareTool, failure, type Tool, type ToolResult, word } from './tool.ts';

const none = failure('no_rehearsal', 'No rehearsal is open. A task that has one says so.');

/** How a store room is run, in words. */
const rules = [
  'Each day, you order whole packs in the morning, then the day runs: its demand is sold from stock, and demand beyond the stock is lost.',
  'Of what is left of a product, a share spoils (rounded up to whole pieces), and each piece that is then left costs storage.',
  `In the evening, one lorry brings what was ordered that morning, for both products together; it cannot be sold before the next day. The lorry costs the same whatever it brings, and nothing if nothing is ordered. The shelf holds ${shelf} pieces of a product; what does not fit is lost.`,
  'The demand of a day is that of one of the past days of the same weekday, each equally likely, and depends neither on the other product nor on other days.',
  'Profit is what is sold, less the packs, lorries and storage, plus what is left after the last day at its worth.',
  'An order is judged by what could be known when it was placed: the mean profit that it leads to, if all later orders are the best ones, is compared with that of the best order. Luck does not count.',
];

function weekdayOf(day: number): string {
  return weekdays[(day - 1) % weekdays.length] ?? '';
}

/** What the tool shows of the terms; the reference reads them back. */
function shownTerms({ days, products, lorry, noLorry }: StoreTerms): ToolResult {
  return {
    days,
    lorry: { cost: lorry.cost, packs_at_most: lorry.packs, none_on_days: noLorry },
    products: products.map(({ past_demand: past, start, ...product }) => ({
      ...product,
      stock_on_day_1: start,
      past_demand: Object.fromEntries(weekdays.map((name, index) => [name, past[index] ?? []])),
    })),
  };
}

function stateOf(room: StoreRoom): ToolResult {
  const day = dayOf(room);
  const { products } = room.terms;
  const stock = products.map(({ product_id }, index) => ({ product_id, pieces: room.stock[index] ?? 0 }));
  return day === null
    ? { day: null, stock, note: 'All days are over.' }
    : { day, weekday: weekdayOf(day), lorry_today: canOrder(room.terms, day), stock };
}

const read = declareTool(
  {
    name: 'store_read',
    description:
      'The rehearsal of the store room: its rules, its terms with the demand of past days, the open day and the stock.',
  },
  {},
  ({ world: { store } }) =>
    store === null
      ? none
      : {
          rules,
          may_lose: showPercent(store.loss),
          terms: shownTerms(store.terms),
          ...stateOf(store),
        },
);

const order = declareTool(
  {
    name: 'store_order',
    description:
      'Places the order of the open day of the rehearsal and closes the day. There is no way back. `day` is the open day, so that a repeated call has no second effect.',
    writes: true,
  },
  {
    day: Type.Integer({ minimum: 1, maximum: 100 }),
    packs: Type.Array(
      Type.Object(
        { product_id: word('The product.', 40), packs: Type.Integer({ minimum: 0, maximum: 20 }) },
        { additionalProperties: false },
      ),
      {
        maxItems: 2,
        description: 'One item for each product; of a product that is not named, none is ordered.',
      },
    ),
  },
  ({ world }, { day, packs }) => {
    const { store } = world;
    if (store === null) return none;
    const open = dayOf(store);
    if (open !== day)
      return {
        ...failure(
          'wrong_day',
          open === null ? 'All days are over.' : `Day ${open} is open. Orders of other days change nothing.`,
        ),
        ...stateOf(store),
      };
    const { products, lorry } = store.terms;
    const known: readonly string[] = products.map(({ product_id }) => product_id);
    const unknown = packs.find(({ product_id }) => !known.includes(product_id));
    if (unknown !== undefined)
      return failure('not_found', `The products are ${known.join(' and ')}, not ${unknown.product_id}.`);
    if (new Set(packs.map(({ product_id }) => product_id)).size < packs.length)
      return failure('invalid_arguments', 'A product is named twice in `packs`.');
    const ordered = known.map((id) => packs.find(({ product_id }) => product_id === id)?.packs ?? 0);
    const [one = 0, other = 0] = ordered;
    if (one + other > 0 && !canOrder(store.terms, day))
      return failure('no_lorry', `No lorry comes on day ${day}. Order no packs, so that the day runs.`);
    if (one + other > lorry.packs)
      return failure('too_many_packs', `The lorry takes ${lorry.packs} packs in all, not ${one + other}.`);
    const { room, evenings } = closeDay(store, [one, other]);
    world.store = room;
    return {
      closed: day,
      evening: evenings.map(({ demand, sold, spoiled, arrived }, index) => ({
        product_id: known[index],
        demand,
        sold,
        spoiled,
        arrived,
      })),
      ...stateOf(room),
    };
  },
);

export const storeTools: readonly Tool[] = [read, order];
