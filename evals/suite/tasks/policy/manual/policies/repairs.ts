/** What is done about broken goods. */
import { amount, segment, yearsWith } from '../attributes.ts';
import type { PolicySpec } from '../rules.ts';

export const repairs: PolicySpec = {
  name: 'repairs',
  topic: 'repairs',
  titles: ['Broken goods', 'Repairs and warranty', 'When things break', 'Mending and replacing'],
  attributes: {
    age: {
      kind: 'number',
      noun: 'the age',
      min: 10,
      max: 1800,
      step: 1,
      limits: [90, 180, 365, 545, 730, 1095, 1400],
      margin: 5,
      over: [
        'the product was bought more than {n} days before the report',
        'more than {n} days lie between purchase and report',
      ],
      under: [
        'the product was bought less than {n} days before the report',
        'less than {n} days lie between purchase and report',
      ],
    },
    price: amount('the price when new', {
      min: 40,
      max: 1800,
      step: 10,
      limits: [150, 250, 400, 600, 900, 1200],
      margin: 20,
    }),
    cause: {
      kind: 'choice',
      noun: 'the cause',
      values: ['wear', 'fall', 'material', 'transport'],
      words: { wear: 'wear', fall: 'a fall', material: 'bad material', transport: 'the transport' },
      is: ['{v} is the cause', 'it broke because of {v}', 'the workshop blames {v}'],
    },
    part: {
      kind: 'choice',
      noun: 'the part',
      values: ['frame', 'motor', 'surface', 'switch'],
      is: ['what is broken is the {v}', 'the {v} is at fault', 'it is a matter of the {v}'],
    },
    segment,
    years: yearsWith('the {customer}'),
    desk: {
      kind: 'choice',
      noun: 'the desk',
      values: ['North desk', 'South desk', 'Export desk', 'Online desk'],
      department: true,
      is: [
        'the repair is kept by the {v}',
        'the {v} is in charge of the repair',
        'the repair falls to the {v}',
        'the repair is a matter of the {v}',
      ],
    },
  },
  terms: [
    { names: ['fault', 'break', 'defect'], attributes: ['cause', 'part', 'age'] },
    { names: ['customer', 'owner', 'holder'], attributes: ['segment', 'years', 'desk'] },
  ],
  questions: [
    {
      name: 'action',
      subject: 'what is done about broken goods',
      values: ['repair', 'replace', 'return', 'credit'],
      effects: ['the course is "{v}"', 'one has to {v}', 'what is done is "{v}"'],
    },
    {
      name: 'charge',
      subject: 'what the owner pays',
      values: [0, 10, 15, 20, 25, 30, 40, 50],
      effects: [
        'the {customer} pays {v} % of the price when new',
        '{v} % of the price when new are charged',
        'the charge is {v} % of the price when new',
      ],
    },
    {
      name: 'code',
      subject: 'the code of repairs',
      values: ['W1', 'W2', 'W3', 'W4', 'W5'],
      effects: [
        'the repair is entered under {v}',
        'the code of the repair is {v}',
        '{v} is the code for the repair',
        'for the repair the code {v} is used',
      ],
      attributes: ['cause', 'part', 'segment', 'desk'],
    },
  ],
  readings: [
    ['The day that decides is the day of the report.', 'For repairs the day of the report decides.'],
    ['The charge is entered in EUR.', 'Enter the charge as an amount, not as a share.'],
    [
      'Repairs with the status "with insurer" are left alone.',
      'What has the status "with insurer" is not touched.',
    ],
  ],
};
