/** Prices of open quotes. */
import { dayAfter } from '../days.ts';
import { approval, day, money } from '../tools/decisions.ts';
import { cents, number, text } from '../office.ts';
import { counted, recordArea, summed } from './area.ts';
import { approver, department, entry, group, measure, noted, question, segment, years } from './facts.ts';

export const quotes = recordArea({
  name: 'quotes',
  topic: 'quotes',
  owner: 'Head of Sales',
  titles: ['Open quotes', 'New prices', 'What a quote may promise', 'Prices and discounts'],
  kind: 'quote',
  prefix: 'Q',
  party: 'customer',
  things: 'open quotes',
  dayOf: 'request',
  facts: {
    price: measure(
      'the list price',
      'EUR',
      entry('amount'),
      [80, 4_800, 20, 40, 500, 800, 1_200, 1_600, 2_200, 3_000],
    ),
    segment: segment(),
    years: years('the {customer}'),
    pieces: measure(
      'the size of the quote',
      'pieces',
      entry('pieces'),
      [1, 400, 1, 3, 20, 40, 60, 100, 150, 200, 300],
    ),
    group: group(),
    pay: noted('the wish for payment', {
      'in advance': ['We will pay before you ship anything.', 'The money can go out before you deliver.'],
      'on delivery': ['We pay when it is here.', 'Payment when the lorry arrives, please.'],
      'in instalments': [
        'We would like to pay in several parts.',
        'Could we spread the payment over some months?',
      ],
    }),
    desk: department('the desk of the quote'),
  },
  terms: [
    { names: ['customer', 'patron', 'partner'], attributes: ['segment', 'years', 'pay'] },
    { names: ['lot', 'quantity', 'quote'], attributes: ['pieces', 'price', 'group'] },
  ],
  questions: {
    discount: question('the discount on the quote', [0, 2, 3, 4, 5, 6, 8, 10, 12, 15], undefined, '%'),
    carriage: question('the carriage', [0, 15, 20, 30, 45, 60, 80], 'group pieces desk segment', 'EUR'),
    days: question(
      'the time for which the quote is good',
      [7, 10, 14, 21, 28, 30, 45],
      'segment pay years desk',
      'days',
    ),
    approver: approver(
      'the quote',
      ['Head of Sales', 'Head of Finance', 'Head of Service'],
      'price pieces desk pay',
    ),
  },
  readings: [
    'The new price is the list price less the discount, with the carriage added to that.',
    'The days for which a quote is good are counted from the day of the request.',
  ],
  request: 'Please price {which}: price, last day and, where needed, approval, all by the manual.',
  tool: {
    name: 'ledger_reprice',
    description: 'Sets the price of open quotes.',
    fields: {
      price: money('The new price in all.'),
      valid_until: day('Last day on which the quote is good, YYYY-MM-DD.'),
      approval_id: approval(),
    },
  },
  decide: (quote, { discount, carriage, days, approver: post }) => {
    const price = cents(number(quote, 'amount') * (1 - Number(discount) / 100) + Number(carriage));
    return { price, valid_until: dayAfter(text(quote, 'day'), Number(days)), approver: post, _amount: price };
  },
  figures: [
    counted('number of quotes that are priced', () => true),
    summed('total of the new prices in EUR', 'price'),
  ],
  closed: 'declined',
  closing: 'we have bought elsewhere and decline your quote {id}. If it has gone out, just forget it.',
});
