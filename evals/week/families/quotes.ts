/** Prices of open quotes. */
import { dayAfter } from '../days.ts';
import { quotes as policy } from '../manual/policies/quotes.ts';
import { recordFamily } from '../record-family.ts';
import { cents, number, sum, text } from '../world.ts';

export const quotesFamily = recordFamily({
  name: 'quotes',
  policy,
  kind: 'quote',
  prefix: 'Q',
  tool: 'ledger_reprice',
  daysAgo: [4, 60],
  dayOf: 'request',
  partyKind: 'customer',
  things: 'open quotes',
  places: {
    price: { in: 'entry', field: 'amount' },
    segment: { in: 'party', field: 'segment' },
    years: { in: 'years', field: 'since' },
    pieces: { in: 'entry', field: 'pieces' },
    group: { in: 'entry', field: 'product_group' },
    pay: {
      in: 'note',
      sentences: {
        'in advance': ['We will pay before you ship anything.', 'The money can go out before you deliver.'],
        'on delivery': ['We pay when it is here.', 'Payment when the lorry arrives, please.'],
        'in instalments': [
          'We would like to pay in several parts.',
          'Could we spread the payment over some months?',
        ],
      },
    },
    desk: { in: 'entry', field: 'desk' },
  },
  requests: [
    'Set the prices of {which} by the manual.',
    'Please price {which}: price, last day and, where needed, approval, all by the manual.',
  ],
  entry: () => ({}),
  fieldsOf(entry, outcome) {
    if (text(entry, 'status') === 'declined') return null;
    const price = cents(
      number(entry, 'amount') * (1 - Number(outcome['discount']) / 100) + Number(outcome['carriage']),
    );
    return {
      price,
      valid_until: dayAfter(text(entry, 'day'), Number(outcome['days'])),
      approver: String(outcome['approver']),
      _amount: price,
    };
  },
  figures: [
    { name: 'number of quotes that are priced', of: (booked) => booked.length },
    { name: 'total of the new prices in EUR', of: (booked) => sum(booked, 'price') },
  ],
  change: {
    fields: { status: 'declined' },
    words: 'we have bought elsewhere and decline your quote {id}. If it has gone out, just forget it.',
  },
});
