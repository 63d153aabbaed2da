/** What becomes of contracts that run out. */
import { amount, yearsWith } from '../attributes.ts';
import type { PolicySpec } from '../rules.ts';

export const contracts: PolicySpec = {
  name: 'contracts',
  topic: 'contracts',
  titles: ['Contracts that run out', 'Suppliers under contract', 'Renewals', 'Ending and renewing'],
  attributes: {
    price: amount('the yearly price', {
      min: 200,
      max: 5000,
      step: 50,
      limits: [600, 900, 1200, 1800, 2400, 3000, 4000],
      margin: 60,
    }),
    years: yearsWith('the supplier'),
    sort: {
      kind: 'choice',
      noun: 'the subject',
      values: ['cleaning', 'software', 'freight', 'maintenance', 'printing', 'energy'],
      is: [
        'the contract is about {v}',
        '{v} is the subject of the contract',
        'what the supplier provides is {v}',
      ],
    },
    faults: {
      kind: 'number',
      noun: 'the complaints',
      min: 0,
      max: 14,
      step: 1,
      limits: [2, 3, 4, 5, 7, 9],
      margin: 1,
      over: [
        'more than {n} faults have been counted',
        'the supplier has been at fault more than {n} times',
        'there were more than {n} faults',
      ],
      under: [
        'less than {n} faults have been counted',
        'the supplier has been at fault less than {n} times',
        'there were fewer than {n} faults',
      ],
    },
    rival: {
      kind: 'choice',
      noun: 'the offers',
      values: ['cheaper', 'dearer', 'none'],
      words: { cheaper: 'a cheaper offer', dearer: 'only a dearer offer', none: 'no offer' },
      is: ['{v} of a rival is on the table', 'somebody else has sent in {v}', 'the market gave {v}'],
    },
    notice: {
      kind: 'number',
      noun: 'the days of notice',
      min: 0,
      max: 120,
      step: 1,
      limits: [14, 21, 30, 45, 60, 75, 90],
      margin: 3,
      over: [
        'more than {n} days are left until the contract runs out',
        'the end is more than {n} days after the day of review',
      ],
      under: [
        'less than {n} days are left until the contract runs out',
        'the end is less than {n} days after the day of review',
      ],
    },
    desk: {
      kind: 'choice',
      noun: 'the desk',
      values: ['North desk', 'South desk', 'Export desk', 'Online desk'],
      department: true,
      is: [
        'the contract is kept by the {v}',
        'the {v} is in charge of the contract',
        'the contract falls to the {v}',
        'the contract is a matter of the {v}',
      ],
    },
  },
  terms: [
    { names: ['supplier', 'firm', 'vendor'], attributes: ['years', 'faults', 'sort'] },
    { names: ['contract', 'agreement', 'deal'], attributes: ['price', 'notice', 'desk'] },
  ],
  questions: [
    {
      name: 'action',
      subject: 'what becomes of a contract',
      values: ['renew', 'end', 'renegotiate'],
      words: { renew: 'renewed', end: 'ended', renegotiate: 'renegotiated' },
      effects: ['the contract is {v}', 'it is to be {v}', 'what had been agreed is {v}'],
    },
    {
      name: 'months',
      subject: 'the length of a renewal',
      values: [6, 9, 12, 18, 24, 30, 36],
      effects: [
        'a renewal is for {v} months',
        'what is renewed is renewed for {v} months',
        '{v} months are the length of a renewal',
      ],
      attributes: ['sort', 'price', 'faults', 'desk', 'years'],
    },
    {
      name: 'raise',
      subject: 'the accepted raise',
      values: [0, 1, 2, 3, 4, 5, 6, 8],
      effects: [
        'a raise of {v} % is accepted',
        'the new yearly price is {v} % above the old one',
        'the price goes up by {v} %',
      ],
      attributes: ['sort', 'rival', 'years', 'notice', 'desk'],
    },
  ],
  readings: [
    ['The day that decides is the day of review.', 'For contracts the day of review decides.'],
    [
      'The price of a contract that is ended is 0; otherwise it is the old yearly price with the raise.',
      'With an ended contract 0 is entered as the price, with all others the old price and the raise on it.',
    ],
    [
      'Months are entered only where a contract is renewed, 0 otherwise.',
      'Unless a contract is renewed its months are 0.',
    ],
    ['Contracts with the status "sold on" are left alone.', 'What has the status "sold on" is not touched.'],
  ],
};
