/** Orders goods again for the store room. */
import { nobody } from '../batch-goal.ts';
import { stock as policy } from '../manual/policies/stock.ts';
import { recordFamily } from '../record-family.ts';
import { number, sum, text } from '../world.ts';

export const stockFamily = recordFamily({
  name: 'stock',
  policy,
  kind: 'stock',
  prefix: 'S',
  tool: 'ledger_reorder',
  daysAgo: [4, 60],
  dayOf: 'count',
  partyKind: 'supplier',
  things: 'stock entries of the count',
  places: {
    left: { in: 'entry', field: 'in_store' },
    sold: { in: 'entry', field: 'sold_last_month' },
    lead: { in: 'party', field: 'lead_days' },
    group: { in: 'entry', field: 'product_group' },
    shelf: {
      in: 'note',
      sentences: {
        cold: ['Stands in the cold room.', 'To be kept below eight degrees.'],
        dry: ['Stands in the dry hall.', 'Must not get damp, so it is in the dry hall.'],
        outdoor: ['Stands in the yard.', 'Kept under the roof outside.'],
      },
    },
    years: { in: 'years', field: 'since' },
    desk: { in: 'entry', field: 'desk' },
  },
  requests: [
    'Order again what is needed for {which}, by the manual.',
    'Please decide for {which} how much is ordered again and how it comes, by the manual.',
  ],
  entry: () => ({}),
  fieldsOf(entry, outcome) {
    if (text(entry, 'status') === 'discontinued') return null;
    const pack = Number(outcome['pack']);
    const quantity = Math.ceil((number(entry, 'sold_last_month') * Number(outcome['months'])) / pack) * pack;
    return {
      quantity,
      mode: String(outcome['mode']),
      approver: quantity === 0 ? nobody : String(outcome['approver']),
      _amount: quantity,
    };
  },
  figures: [
    {
      name: 'number of entries for which something is ordered',
      of: (booked) => booked.filter((row) => number(row, 'quantity') > 0).length,
    },
    { name: 'total of the pieces ordered', of: (booked) => sum(booked, 'quantity') },
  ],
  change: {
    fields: { status: 'discontinued' },
    words:
      'we no longer make what is in your stock entry {id}; please do not order it, unless you have done so already.',
  },
});
