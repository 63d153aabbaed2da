/** Reconciles what was paid with what was owed. */
import { payments as policy } from '../manual/policies/payments.ts';
import { recordFamily } from '../record-family.ts';
import { cents, number, sum, text } from '../world.ts';

export const paymentsFamily = recordFamily({
  name: 'payments',
  policy,
  kind: 'payment',
  prefix: 'Y',
  tool: 'ledger_flag',
  daysAgo: [4, 60],
  dayOf: 'arrival',
  partyKind: 'customer',
  things: 'payments of the month',
  places: {
    owed: { in: 'entry', field: 'owed' },
    gap: { in: 'difference', of: 'amount', less: 'owed' },
    late: { in: 'days', field: 'due_on', sign: -1 },
    segment: { in: 'party', field: 'segment' },
    years: { in: 'years', field: 'since' },
    reason: {
      in: 'note',
      sentences: {
        discount: ['As agreed, with the discount.', 'Less our discount.'],
        return: ['We have sent one piece back.', 'Settled against what we returned.'],
        none: ['Invoice of last time.', 'Thank you.'],
        'bank fee': ['The bank has kept its fee.', 'Charges of the bank were shared.'],
      },
    },
    desk: { in: 'entry', field: 'desk' },
  },
  requests: [
    'Reconcile {which}: enter the difference and what follows from it, by the manual.',
    'Please check {which} against what was owed and enter difference, step and code as the manual has it.',
  ],
  entry: () => ({}),
  fieldsOf(entry, outcome) {
    if (text(entry, 'status') === 'disputed') return null;
    return {
      difference: cents(number(entry, 'amount') - number(entry, 'owed')),
      action: String(outcome['action']),
      code: String(outcome['code']),
    };
  },
  figures: [
    {
      name: 'number of payments that call for a reminder',
      of: (booked) => booked.filter((row) => row['action'] === 'remind').length,
    },
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
  change: {
    fields: { status: 'disputed' },
    words: 'our lawyer is dealing with payment {id}. Leave it as it is, unless it is entered already.',
  },
});
