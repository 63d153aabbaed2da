/** The prices of open quotes. */
import { amount, segment, yearsWith } from '../attributes.ts';
import type { PolicySpec } from '../rules.ts';

export const quotes: PolicySpec = {
  name: 'quotes',
  topic: 'quotes',
  titles: ['Open quotes', 'New prices', 'What a quote may promise', 'Prices and discounts'],
  attributes: {
    price: amount('the list price', {
      min: 80,
      max: 4800,
      step: 20,
      limits: [500, 800, 1200, 1600, 2200, 3000],
      margin: 40,
    }),
    segment,
    years: yearsWith('the {customer}'),
    pieces: {
      kind: 'number',
      noun: 'the pieces',
      min: 1,
      max: 400,
      step: 1,
      limits: [20, 40, 60, 100, 150, 200, 300],
      margin: 3,
      over: [
        'more than {n} pieces are asked for',
        'the quote is about more than {n} pieces',
        'the number of pieces is more than {n}',
      ],
      under: [
        'less than {n} pieces are asked for',
        'the quote is about less than {n} pieces',
        'the number of pieces is less than {n}',
      ],
    },
    group: {
      kind: 'choice',
      noun: 'the group',
      values: ['ceramics', 'textiles', 'lighting', 'furniture', 'garden', 'tools'],
      is: ['the quote is about {v}', 'what is offered is from the group "{v}"', 'it is a quote for {v}'],
    },
    pay: {
      kind: 'choice',
      noun: 'the payment',
      values: ['in advance', 'on delivery', 'in instalments'],
      is: ['payment is to be made {v}', 'the {customer} wants to pay {v}', 'the wish is to pay {v}'],
    },
    desk: {
      kind: 'choice',
      noun: 'the desk',
      values: ['North desk', 'South desk', 'Export desk', 'Online desk'],
      department: true,
      is: [
        'the quote is kept by the {v}',
        'the {v} is in charge of the quote',
        'the quote falls to the {v}',
        'the quote is a matter of the {v}',
      ],
    },
  },
  terms: [
    { names: ['customer', 'patron', 'partner'], attributes: ['segment', 'years', 'pay'] },
    { names: ['lot', 'quantity', 'quote'], attributes: ['pieces', 'price', 'group'] },
  ],
  questions: [
    {
      name: 'discount',
      subject: 'the discount on quotes',
      values: [0, 2, 3, 4, 5, 6, 8, 10, 12, 15],
      effects: [
        'the discount is {v} %',
        '{v} % are taken off the list price',
        'the {customer} gets {v} % off',
      ],
    },
    {
      name: 'carriage',
      subject: 'the carriage of quotes',
      values: [0, 15, 20, 30, 45, 60, 80],
      effects: [
        '{v} EUR are added for carriage',
        'carriage is {v} EUR',
        'the {customer} pays {v} EUR for carriage',
      ],
      attributes: ['group', 'pieces', 'desk', 'segment'],
    },
    {
      name: 'days',
      subject: 'how long a quote is good',
      values: [7, 10, 14, 21, 28, 30, 45],
      effects: [
        'the quote is good for {v} days',
        'it stands for {v} days',
        '{v} days are the time for which it binds us',
      ],
      attributes: ['segment', 'pay', 'years', 'desk'],
    },
    {
      name: 'approver',
      subject: 'the approval of quotes',
      values: ['nobody', 'Head of Sales', 'Head of Finance', 'Head of Service'],
      words: {
        nobody: 'nobody',
        'Head of Sales': 'the Head of Sales',
        'Head of Finance': 'the Head of Finance',
        'Head of Service': 'the Head of Service',
      },
      effects: [
        '{v} has to approve the quote',
        'the quote needs the approval of {v}',
        'approving the quote is up to {v}',
        'the approval of the quote is a matter for {v}',
      ],
      attributes: ['price', 'pieces', 'desk', 'pay'],
    },
  ],
  readings: [
    [
      'The day that decides is the day on which the quote was asked for.',
      'For quotes the day of the request decides.',
    ],
    [
      'The new price is the list price less the discount, with the carriage added to that.',
      'First the discount is taken off the list price, then the carriage is added.',
    ],
    [
      'The days for which a quote is good are counted from the day of the request.',
      'A quote is good until so many days after the day of the request.',
    ],
    [
      'Approval by nobody means that no approval is needed.',
      'If nobody has to approve, the quote goes out without an approval.',
    ],
    ['Quotes with the status "declined" are left alone.', 'What has the status "declined" is not touched.'],
  ],
};
