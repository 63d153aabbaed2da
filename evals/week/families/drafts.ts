/** Checks a colleague's drafts of invoices, which are wrong in places. */
import { drafts as policy } from '../manual/policies/drafts.ts';
import { recordFamily } from '../record-family.ts';
import { cents, number, sum, text } from '../world.ts';

export const draftsFamily = recordFamily({
  name: 'drafts',
  policy,
  kind: 'draft',
  prefix: 'I',
  tool: 'ledger_correct',
  daysAgo: [4, 60],
  dayOf: 'sale',
  partyKind: 'customer',
  things: 'drafts of invoices',
  places: {
    price: { in: 'entry', field: 'amount' },
    segment: { in: 'party', field: 'segment' },
    years: { in: 'years', field: 'since' },
    group: { in: 'entry', field: 'product_group' },
    season: {
      in: 'note',
      sentences: {
        'spring sale': ['Bought at the spring sale.', 'From the sale in spring.'],
        'autumn sale': ['Bought at the autumn sale.', 'From the sale in autumn.'],
        none: ['Bought at the normal price.', 'Ordinary sale.'],
      },
    },
    open: { in: 'party', field: 'open_invoices' },
    desk: { in: 'entry', field: 'desk' },
  },
  requests: [
    'A colleague has prepared {which}. Some are wrong. Release all of them with what the manual gives.',
    'Please check {which}, correct what is not as the manual has it, and release all.',
  ],
  entry: (random, facts) => ({
    discount: cents((Number(facts['price']) * random.pick([0, 2, 3, 4, 5, 6, 8, 10])) / 100),
    terms: random.pick([7, 10, 14, 20, 30, 45, 60]),
    code: random.pick(['V1', 'V2', 'V3', 'V4', 'V5', 'V6']),
    drafted_by: 'a colleague',
  }),
  fieldsOf(entry, outcome) {
    if (text(entry, 'status') === 'cancelled') return null;
    const discount = cents((number(entry, 'amount') * Number(outcome['discount'])) / 100);
    return { discount, terms: Number(outcome['terms']), code: String(outcome['code']) };
  },
  figures: [
    { name: 'number of drafts that are released', of: (booked) => booked.length },
    { name: 'total of the discounts in EUR', of: (booked) => sum(booked, 'discount') },
  ],
  change: {
    fields: { status: 'cancelled' },
    words: 'we have cancelled the purchase behind {id}; please send no invoice unless it has gone out.',
  },
});
