/** The tools of the store-room simulation: read its rules, terms and state; place the order for a day. */
import { Type } from 'typebox';
import { closeDay, dayOf, showPercent, type StoreRoom } from '../store/store-room.ts';
import { canOrder, shelf, type StoreTerms, weekdays } from '../store/terms.ts';
import { declareTool, failure, type Tool, type ToolResult, word } from './tool.ts';

const none = failure('no_simulation', 'This task has no store-room simulation.');

/** The rules as agents read them. */
const rules = [
  'The simulation has its own calendar: day 1 is a Monday, and Monday follows Friday. A day passes only when you call `store_order`. The manual does not apply, and orders need no approval.',
  'Each day runs in this order. 1. In the morning, before the demand is known, you order whole packs. 2. Demand is met from stock; demand beyond the stock is lost. 3. Of the unsold pieces of each product, `spoils_percent` percent spoil, rounded up to whole pieces. 4. Each piece still in stock costs `storage`. 5. In the evening, the lorry delivers what you ordered that morning. Delivered pieces neither spoil nor cost storage that evening, and can be sold from the next day on.',
  `One lorry carries both products, at most \`packs_at_most\` packs in total. On \`none_on_days\` no lorry comes: place an empty order. The shelf holds ${shelf} pieces of each product; delivered pieces that do not fit are paid for and lost.`,
  'The demand for a product is a number drawn from its `past_demand` for that weekday, multiplied by its `demand_percent` for that week, divided by 100 and rounded to whole pieces, halves up. The first percentage is for days 1 to 5, the second for days 6 to 10, and so on. Each number in the list is equally likely; a number that is listed twice is twice as likely. Demand is independent of the other product and of all other days.',
  "Amounts are in EUR. `cost`, `price`, `storage` and `left_worth` are per piece; `pack` is the number of pieces in a pack. The lorry's `cost` is charged once for each day on which you order at least one pack.",
  'Profit is sales at `price`, less the cost of the pieces ordered, the lorries and storage, plus `left_worth` for each piece in stock after the evening of the last day. The last day runs like the others.',
  'Only expected profit counts, so luck does not matter. The loss of an order is the expected profit of the best order for that day and stock, less that of your order, assuming the best orders on all later days. The sum of the losses may be at most `may_lose` of the expected profit of the best orders from day 1 on. Every day must be closed.',
];

/** The terms as `store_read` returns them. The reference parses them. */
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
  if (day === null) return { day: null, stock, note: 'All days are closed.' };
  const weekday = weekdays[(day - 1) % weekdays.length];
  return { day, weekday, lorry_today: canOrder(room.terms, day), stock };
}

const read = declareTool(
  {
    name: 'store_read',
    description:
      'Returns the store-room simulation: its rules, its terms with past demand, the open day and the current stock.',
  },
  {},
  ({ world: { store } }) =>
    store === null
      ? none
      : { rules, may_lose: showPercent(store.loss), terms: shownTerms(store.terms), ...stateOf(store) },
);

const order = declareTool(
  {
    name: 'store_order',
    description:
      'Places the order for the open day of the store-room simulation, and runs and closes that day. This cannot be undone. `day` must be the open day: a repeated call for a closed day changes nothing and returns wrong_day with the current state.',
    writes: true,
  },
  {
    day: Type.Integer({
      minimum: 1,
      maximum: 100,
      description: 'The open day, as store_read and store_order return it.',
    }),
    packs: Type.Array(
      Type.Object(
        {
          product_id: word('The `product_id` from store_read.', 40),
          packs: Type.Integer({ minimum: 0, maximum: 20, description: 'Whole packs.' }),
        },
        { additionalProperties: false },
      ),
      {
        maxItems: 2,
        description:
          'At most one item per product. A product without an item is not ordered; an empty list orders nothing and still closes the day.',
      },
    ),
  },
  ({ world }, { day, packs }) => {
    const { store } = world;
    if (store === null) return none;
    const open = dayOf(store);
    if (open !== day) {
      const why = open === null ? 'All days are closed.' : `Day ${open} is open; nothing was ordered.`;
      return { ...failure('wrong_day', why), ...stateOf(store) };
    }
    const { products, lorry } = store.terms;
    const known: readonly string[] = products.map(({ product_id }) => product_id);
    const unknown = packs.find(({ product_id }) => !known.includes(product_id));
    if (unknown !== undefined)
      return failure(
        'not_found',
        `There is no product ${unknown.product_id}. The products are ${known.join(' and ')}.`,
      );
    if (new Set(packs.map(({ product_id }) => product_id)).size < packs.length)
      return failure('invalid_arguments', '`packs` names a product twice. The day is still open.');
    const [one = 0, other = 0] = known.map(
      (id) => packs.find(({ product_id }) => product_id === id)?.packs ?? 0,
    );
    if (one + other > 0 && !canOrder(store.terms, day))
      return failure(
        'no_lorry',
        `No lorry comes on day ${day}, so nothing was ordered and the day is still open. Call store_order with empty \`packs\` to run it.`,
      );
    if (one + other > lorry.packs)
      return failure(
        'too_many_packs',
        `The lorry carries at most ${lorry.packs} packs in total, not ${one + other}. The day is still open.`,
      );
    const { room, evenings } = closeDay(store, [one, other]);
    world.store = room;
    const evening = evenings.map(({ demand, sold, spoiled, delivered }, index) => ({
      product_id: known[index],
      demand,
      sold,
      spoiled,
      delivered,
    }));
    return { closed: day, evening, ...stateOf(room) };
  },
);

export const storeTools: readonly Tool[] = [read, order];
