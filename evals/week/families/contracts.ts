/** Contracts that run out. */
import { contracts as policy } from '../manual/policies/contracts.ts';
import { recordFamily } from '../record-family.ts';
import { cents, number, sum, text } from '../world.ts';

export const contractsFamily = recordFamily({
  name: 'contracts',
  policy,
  kind: 'contract',
  prefix: 'V',
  tool: 'ledger_renew',
  daysAgo: [4, 60],
  dayOf: 'review',
  partyKind: 'supplier',
  things: 'contracts that run out',
  places: {
    price: { in: 'entry', field: 'amount' },
    years: { in: 'years', field: 'since' },
    sort: { in: 'entry', field: 'subject' },
    faults: { in: 'entry', field: 'faults' },
    rival: {
      in: 'note',
      sentences: {
        cheaper: ['A rival would do the same for less.', 'We have an offer that is lower.'],
        dearer: [
          'The only other offer is above what we pay.',
          'Asked around: the one who replied wants more.',
        ],
        none: ['Nobody else has made an offer.', 'We asked around, without any reply.'],
      },
    },
    notice: { in: 'days', field: 'runs_out_on', sign: 1 },
    desk: { in: 'entry', field: 'desk' },
  },
  requests: [
    'Decide what becomes of {which}, as the manual has it, and enter it.',
    'Please go through {which} and enter for each whether it is renewed, ended or renegotiated, by the manual.',
  ],
  entry: () => ({}),
  fieldsOf(entry, outcome) {
    if (text(entry, 'status') === 'sold on') return null;
    const action = String(outcome['action']);
    const price =
      action === 'end' ? 0 : cents(number(entry, 'amount') * (1 + Number(outcome['raise']) / 100));
    return { action, months: action === 'renew' ? Number(outcome['months']) : 0, price };
  },
  figures: [
    {
      name: 'number of contracts that are renewed',
      of: (booked) => booked.filter((row) => row['action'] === 'renew').length,
    },
    {
      name: 'number of contracts that are ended',
      of: (booked) => booked.filter((row) => row['action'] === 'end').length,
    },
    { name: 'total of the new yearly prices in EUR', of: (booked) => sum(booked, 'price') },
  ],
  change: {
    fields: { status: 'sold on' },
    words:
      'we have sold our business; contract {id} has passed to the buyer and is no longer yours to decide, unless you have entered something already.',
  },
});
