/** Reconciles what was paid with what was owed. */
import { codeField, difference, oneOf } from '../tools/decisions.ts';
import { cents, number, sum } from '../office.ts';
import { counted, recordArea } from './area.ts';
import { code, department, entry, measure, noted, question, segment, since, years } from './facts.ts';

const actions = ['accept', 'remind', 'return', 'set off', 'write off'];

export const payments = recordArea({
  name: 'payments',
  topic: 'payments',
  owner: 'Head of Finance',
  titles: [
    'Payments that differ',
    'Reconciling',
    'Too much and too little',
    'What was paid and what was owed',
  ],
  kind: 'payment',
  prefix: 'Y',
  party: 'customer',
  things: 'payments of the month',
  dayOf: 'arrival',
  facts: {
    owed: measure(
      'the amount owed',
      'EUR',
      entry('owed'),
      [40, 3_600, 10, 20, 300, 500, 900, 1_300, 1_800, 2_500],
    ),
    gap: measure(
      'the amount paid less the amount owed',
      'EUR',
      { in: 'difference', of: 'amount', less: 'owed' },
      [-90, 90, 1, 2, -50, -30, -15, 5, 10, 20, 30, 50],
    ),
    late: measure(
      'the delay of the payment',
      'days',
      since('due_on'),
      [0, 60, 1, 3, 6, 10, 14, 20, 28, 35, 45],
    ),
    segment: segment(),
    years: years('the {customer}'),
    reason: noted('the reason that the {customer} gives', {
      discount: ['As agreed, with the discount.', 'Less our discount.'],
      return: ['We have sent one piece back.', 'Settled against what we returned.'],
      none: ['Invoice of last time.', 'Thank you.'],
      'bank fee': ['The bank has kept its fee.', 'Charges of the bank were shared.'],
    }),
    desk: department('the desk of the account'),
  },
  terms: [
    { names: ['payer', 'debtor', 'account'], attributes: ['segment', 'years', 'desk'] },
    { names: ['payment', 'transfer', 'remittance'], attributes: ['late', 'reason', 'owed'] },
  ],
  questions: {
    action: question('the action on a difference', actions),
    code: code('the difference', 'D', 6, 'reason late segment gap'),
  },
  readings: [
    'The difference is what was paid less what was owed, so it is negative if too little came.',
    'Payments without a difference are entered as well.',
  ],
  request:
    'Please check {which} against what was owed and enter difference, step and code as the manual has it.',
  tool: {
    name: 'ledger_flag',
    description: 'Marks payments with the difference to what was owed and what follows from it.',
    fields: { difference: difference('Paid less owed, in EUR.'), action: oneOf(actions), code: codeField() },
  },
  decide: (payment, { action, code: own }) => ({
    difference: cents(number(payment, 'amount') - number(payment, 'owed')),
    action,
    code: own,
  }),
  figures: [
    counted('number of payments that call for a reminder', ({ action }) => action === 'remind'),
    {
      name: 'sum of all shortfalls in EUR, without a sign',
      of: (booked) =>
        -sum(
          booked.filter((row) => number(row, 'difference') < 0),
          'difference',
        ),
    },
    {
      name: 'sum of all surpluses in EUR',
      of: (booked) =>
        sum(
          booked.filter((row) => number(row, 'difference') > 0),
          'difference',
        ),
    },
  ],
  closed: 'disputed',
  closing: 'our lawyer is dealing with payment {id}. Leave it as it is, unless it is entered already.',
});
