/** Checks a colleague's drafts of invoices, which are wrong in places. */
import { codeField, money, whole } from '../tools/decisions.ts';
import { cents, number } from '../office.ts';
import { counted, recordArea, summed } from './area.ts';
import { code, department, entry, group, measure, noted, party, question, segment, years } from './facts.ts';

const discounts = [0, 2, 3, 4, 5, 6, 8, 10];
const terms = [7, 10, 14, 20, 30, 45, 60];

export const drafts = recordArea({
  name: 'drafts',
  topic: 'invoicing',
  owner: 'Head of Finance',
  titles: ['Invoices', 'Terms of payment', 'What an invoice says', 'Billing'],
  kind: 'draft',
  prefix: 'I',
  party: 'customer',
  things: 'drafts of invoices',
  dayOf: 'sale',
  facts: {
    price: measure(
      'the amount of the invoice',
      'EUR',
      entry('amount'),
      [80, 4_400, 20, 40, 400, 700, 1_000, 1_500, 2_200, 3_000],
    ),
    segment: segment(),
    years: years('the {customer}'),
    group: group(),
    season: noted('the season of the sale', {
      'spring sale': ['Bought at the spring sale.', 'From the sale in spring.'],
      'autumn sale': ['Bought at the autumn sale.', 'From the sale in autumn.'],
      none: ['Bought at the normal price.', 'Ordinary sale.'],
    }),
    open: measure(
      'the number of open invoices of the {customer}',
      '',
      party('open_invoices'),
      [0, 12, 1, 1, 2, 3, 4, 6, 8],
    ),
    desk: department('the desk of the invoice'),
  },
  terms: [
    { names: ['customer', 'patron', 'partner'], attributes: ['segment', 'years', 'open'] },
    { names: ['sale', 'deal', 'bargain'], attributes: ['season', 'group', 'price'] },
  ],
  questions: {
    discount: question('the discount on the invoice', discounts, undefined, '%'),
    terms: question('the time until payment is due', terms, 'segment years open desk price', 'days'),
    code: code('the invoice', 'V', 6, 'group season segment desk'),
  },
  readings: [
    'The discount is entered in EUR, as a share of the amount of the invoice.',
    'A draft that is right is released with the figures that it has.',
  ],
  request:
    'A colleague has prepared {which}. Some are wrong. Release all of them with what the manual gives.',
  tool: {
    name: 'ledger_correct',
    description: 'Releases the drafts of a colleague, as they are or corrected.',
    fields: {
      discount: money('The right discount in EUR.'),
      terms: whole(400, 'Days until payment is due.'),
      code: codeField(),
    },
  },
  entry: (random, facts) => ({
    discount: cents((Number(facts['price']) * random.pick(discounts)) / 100),
    terms: random.pick(terms),
    code: `V${random.int(1, 6)}`,
    drafted_by: 'a colleague',
  }),
  decide: (draft, { discount, terms: days, code: own }) => ({
    discount: cents((number(draft, 'amount') * Number(discount)) / 100),
    terms: days,
    code: own,
  }),
  figures: [
    counted('number of drafts that are released', () => true),
    summed('total of the discounts in EUR', 'discount'),
  ],
  closed: 'cancelled',
  closing: 'we have cancelled the purchase behind {id}; please send no invoice unless it has gone out.',
});
