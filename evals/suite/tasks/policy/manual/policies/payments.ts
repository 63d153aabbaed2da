/** What follows when a payment differs from what was owed. */
import { amount, segment, yearsWith } from '../attributes.ts';
import type { PolicySpec } from '../rules.ts';

export const payments: PolicySpec = {
  name: 'payments',
  topic: 'payments',
  titles: [
    'Payments that differ',
    'Reconciling',
    'Too much and too little',
    'What was paid and what was owed',
  ],
  attributes: {
    owed: amount('the amount owed', {
      min: 40,
      max: 3600,
      step: 10,
      limits: [300, 500, 900, 1300, 1800, 2500],
      margin: 20,
    }),
    gap: {
      kind: 'number',
      noun: 'the difference',
      min: -90,
      max: 90,
      step: 1,
      limits: [-50, -30, -15, 5, 10, 20, 30, 50],
      margin: 2,
      over: [
        'the amount paid less the amount owed is more than {n} EUR',
        'the difference (paid less owed) is more than {n} EUR',
      ],
      under: [
        'the amount paid less the amount owed is less than {n} EUR',
        'the difference (paid less owed) is less than {n} EUR',
      ],
    },
    late: {
      kind: 'number',
      noun: 'the delay',
      min: 0,
      max: 60,
      step: 1,
      limits: [6, 10, 14, 20, 28, 35, 45],
      margin: 3,
      over: [
        'the money came more than {n} days after the due day',
        'payment was more than {n} days late',
        'the delay of the payment was more than {n} days',
      ],
      under: [
        'the money came less than {n} days after the due day',
        'payment was less than {n} days late',
        'the delay of the payment was less than {n} days',
      ],
    },
    segment,
    years: yearsWith('the {customer}'),
    reason: {
      kind: 'choice',
      noun: 'the reason',
      values: ['discount', 'return', 'none', 'bank fee'],
      words: { discount: 'a discount', return: 'a return', none: 'no reason', 'bank fee': 'a bank fee' },
      is: [
        'the {customer} gives {v} for it',
        '{v} is named by the payer',
        'the reference of the payment speaks of {v}',
      ],
    },
    desk: {
      kind: 'choice',
      noun: 'the desk',
      values: ['North desk', 'South desk', 'Export desk', 'Online desk'],
      department: true,
      is: [
        'the account is kept by the {v}',
        'the {v} is in charge of the account',
        'the account falls to the {v}',
        'the account is a matter of the {v}',
      ],
    },
  },
  terms: [
    { names: ['payer', 'debtor', 'account'], attributes: ['segment', 'years', 'desk'] },
    { names: ['payment', 'transfer', 'remittance'], attributes: ['late', 'reason', 'owed'] },
  ],
  questions: [
    {
      name: 'action',
      subject: 'what follows from a difference',
      values: ['accept', 'remind', 'return', 'set off', 'write off'],
      effects: [
        'the course is to {v}',
        'what follows is "{v}"',
        'one has to {v}',
        'the step to take is "{v}"',
      ],
    },
    {
      name: 'code',
      subject: 'the code of differences',
      values: ['D1', 'D2', 'D3', 'D4', 'D5', 'D6'],
      effects: [
        'the difference is entered under {v}',
        'the code of the difference is {v}',
        '{v} is the code for the difference',
        'for the difference the code {v} is used',
      ],
      attributes: ['reason', 'late', 'segment', 'gap'],
    },
  ],
  readings: [
    ['The day that decides is the day on which the money came.', 'For payments the day of arrival decides.'],
    [
      'The difference is what was paid less what was owed, so it is negative if too little came.',
      'Take what was owed from what was paid; a shortfall has a minus.',
    ],
    [
      'Payments without a difference are entered as well.',
      'Every payment is entered, also one that is exact.',
    ],
    ['Payments with the status "disputed" are left alone.', 'What has the status "disputed" is not touched.'],
  ],
};
