/** Contracts that run out. */
import { money, oneOf, whole } from '../tools/decisions.ts';
import { cents, number } from '../office.ts';
import { counted, recordArea, summed } from './area.ts';
import { choice, department, entry, measure, noted, question, until, years } from './facts.ts';

const actions = ['renew', 'end', 'renegotiate'];
const subjects = ['cleaning', 'software', 'freight', 'maintenance', 'printing', 'energy'];

export const contracts = recordArea({
  name: 'contracts',
  topic: 'contracts',
  owner: 'Head of Purchasing',
  titles: ['Contracts that run out', 'Suppliers under contract', 'Renewals', 'Ending and renewing'],
  kind: 'contract',
  prefix: 'V',
  party: 'supplier',
  things: 'contracts that run out',
  dayOf: 'review',
  facts: {
    price: measure(
      'the yearly price',
      'EUR',
      entry('amount'),
      [200, 5_000, 50, 60, 600, 900, 1_200, 1_800, 2_400, 3_000, 4_000],
    ),
    years: years('the supplier'),
    sort: choice('the subject of the contract', entry('subject'), subjects),
    faults: measure(
      'the number of faults of the supplier',
      '',
      entry('faults'),
      [0, 14, 1, 1, 2, 3, 4, 5, 7, 9],
    ),
    rival: noted('the offer of a rival', {
      cheaper: ['A rival would do the same for less.', 'We have an offer that is lower.'],
      dearer: ['The only other offer is above what we pay.', 'Asked around: the one who replied wants more.'],
      none: ['Nobody else has made an offer.', 'We asked around, without any reply.'],
    }),
    notice: measure(
      'the time from the review until the contract runs out',
      'days',
      until('runs_out_on'),
      [0, 120, 1, 3, 14, 21, 30, 45, 60, 75, 90],
    ),
    desk: department('the desk of the contract'),
  },
  terms: [
    { names: ['supplier', 'firm', 'vendor'], attributes: ['years', 'faults', 'sort'] },
    { names: ['contract', 'agreement', 'deal'], attributes: ['price', 'notice', 'desk'] },
  ],
  questions: {
    action: question('the action on a contract', actions),
    months: question(
      'the length of a renewal',
      [6, 9, 12, 18, 24, 30, 36],
      'sort price faults desk years',
      'months',
    ),
    raise: question('the accepted raise', [0, 1, 2, 3, 4, 5, 6, 8], 'sort rival years notice desk', '%'),
  },
  readings: [
    'The price of a contract that is ended is 0; otherwise it is the old yearly price with the raise.',
    'Months are entered only where a contract is renewed, 0 otherwise.',
  ],
  request: 'Please go through {which} and enter for each what becomes of it, by the manual.',
  tool: {
    name: 'ledger_renew',
    description: 'Records what becomes of contracts.',
    fields: {
      action: oneOf(actions),
      months: whole(120, 'For how long it is renewed; 0 otherwise.'),
      price: money('The yearly price from then on; 0 if it is ended.'),
    },
  },
  decide: (contract, { action, months, raise }) => ({
    action,
    months: action === 'renew' ? months : 0,
    price: action === 'end' ? 0 : cents(number(contract, 'amount') * (1 + Number(raise) / 100)),
  }),
  figures: [
    counted('number of contracts that are renewed', ({ action }) => action === 'renew'),
    counted('number of contracts that are ended', ({ action }) => action === 'end'),
    summed('total of the new yearly prices in EUR', 'price'),
  ],
  closed: 'sold on',
  closing:
    'we have sold our business; contract {id} has passed to the buyer and is no longer yours to decide, unless you have entered something already.',
});
