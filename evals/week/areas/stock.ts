/** Orders goods again for the store. */
import { approval, oneOf, whole } from '../tools/decisions.ts';
import { number } from '../office.ts';
import { counted, recordArea, summed } from './area.ts';
import {
  approver,
  department,
  entry,
  group,
  measure,
  nobody,
  noted,
  party,
  question,
  years,
} from './facts.ts';

const modes = ['lorry', 'rail', 'parcel', 'pick-up'];

export const stock = recordArea({
  name: 'stock',
  topic: 'stock',
  owner: 'Head of Purchasing',
  titles: ['The store', 'Ordering again', 'Stock and supply', 'What we keep in store'],
  kind: 'stock',
  prefix: 'S',
  party: 'supplier',
  things: 'stock entries of the count',
  dayOf: 'count',
  facts: {
    left: measure('the stock', 'pieces', entry('in_store'), [0, 400, 1, 3, 20, 40, 60, 90, 120, 180, 250]),
    sold: measure(
      'what was sold in the last month',
      'pieces',
      entry('sold_last_month'),
      [1, 200, 1, 2, 15, 25, 40, 60, 80, 110, 140],
    ),
    lead: measure('the lead time', 'days', party('lead_days'), [2, 80, 1, 3, 8, 12, 18, 25, 35, 45, 60]),
    group: group(),
    shelf: noted('the place of storage', {
      cold: ['Stands in the cold room.', 'To be kept below eight degrees.'],
      dry: ['Stands in the dry hall.', 'Must not get damp, so it is in the dry hall.'],
      outdoor: ['Stands in the yard.', 'Kept under the roof outside.'],
    }),
    years: years('the supplier'),
    desk: department('the desk of the product'),
  },
  terms: [
    { names: ['product', 'article', 'item'], attributes: ['group', 'shelf', 'sold'] },
    { names: ['supply', 'source', 'route'], attributes: ['lead', 'years', 'desk'] },
  ],
  questions: {
    months: question('the time for which goods are ordered', [0, 1, 2, 3, 4, 5, 6], undefined, 'months'),
    pack: question('the size of packs', [1, 5, 6, 10, 12, 20, 25], 'group shelf desk years', 'pieces'),
    mode: question('the way of delivery', modes, 'group lead desk shelf sold'),
    approver: approver(
      'the order to the supplier',
      ['Head of Purchasing', 'Head of Finance', 'Head of Operations'],
      'sold lead group desk',
    ),
  },
  readings: [
    'The amount is the sales of the last month times the months, rounded up to full packs.',
    'Where 0 pieces are ordered no approval is needed, but the way of delivery is entered all the same.',
    'An approval is asked for with the number of pieces as its amount.',
  ],
  request: 'Please decide for {which} how much is ordered again and how it comes, by the manual.',
  tool: {
    name: 'ledger_reorder',
    description: 'Orders goods again, one decision for each stock entry.',
    fields: {
      quantity: whole(1_000_000, 'Pieces, 0 if none are ordered.'),
      mode: oneOf(modes),
      approval_id: approval(),
    },
  },
  decide: (entry, { months, pack, mode, approver: post }) => {
    const packs = Math.ceil((number(entry, 'sold_last_month') * Number(months)) / Number(pack));
    const quantity = packs * Number(pack);
    return { quantity, mode, approver: quantity === 0 ? nobody : post, _amount: quantity };
  },
  figures: [
    counted('number of entries for which something is ordered', (row) => number(row, 'quantity') > 0),
    summed('total of the pieces ordered', 'quantity'),
  ],
  closed: 'discontinued',
  closing:
    'we no longer make what is in your stock entry {id}; please do not order it, unless you have done so already.',
});
