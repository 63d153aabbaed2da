/** The discounts and terms of invoices. */
import { segment } from '../attributes.ts';
import { amount, yearsWith } from '../attributes.ts';
import type { PolicySpec } from '../rules.ts';

export const drafts: PolicySpec = {
  name: 'drafts',
  topic: 'invoicing',
  titles: ['Invoices', 'Terms of payment', 'What an invoice says', 'Billing'],
  attributes: {
    price: amount('the amount of the invoice', {
      min: 80,
      max: 4400,
      step: 20,
      limits: [400, 700, 1000, 1500, 2200, 3000],
      margin: 40,
    }),
    segment,
    years: yearsWith('the {customer}'),
    group: {
      kind: 'choice',
      noun: 'the group',
      values: ['ceramics', 'textiles', 'lighting', 'furniture', 'garden', 'tools'],
      is: ['the invoice is for {v}', 'what is billed is from the group "{v}"', '{v} is what was sold'],
    },
    season: {
      kind: 'choice',
      noun: 'the season',
      values: ['spring sale', 'autumn sale', 'none'],
      words: {
        'spring sale': 'in the spring sale',
        'autumn sale': 'in the autumn sale',
        none: 'outside of any sale',
      },
      is: ['it was sold {v}', 'the sale was made {v}', 'the deal was struck {v}'],
    },
    open: {
      kind: 'number',
      noun: 'the open invoices',
      min: 0,
      max: 12,
      step: 1,
      limits: [2, 3, 4, 6, 8],
      margin: 1,
      over: ['the {customer} has more than {n} open invoices', 'more than {n} invoices are still open'],
      under: ['the {customer} has less than {n} open invoices', 'less than {n} invoices are still open'],
    },
    desk: {
      kind: 'choice',
      noun: 'the desk',
      values: ['North desk', 'South desk', 'Export desk', 'Online desk'],
      department: true,
      is: [
        'the invoice is kept by the {v}',
        'the {v} is in charge of the invoice',
        'the invoice falls to the {v}',
        'the invoice is a matter of the {v}',
      ],
    },
  },
  terms: [
    { names: ['customer', 'patron', 'partner'], attributes: ['segment', 'years', 'open'] },
    { names: ['sale', 'deal', 'bargain'], attributes: ['season', 'group', 'price'] },
  ],
  questions: [
    {
      name: 'discount',
      subject: 'the discount on invoices',
      values: [0, 2, 3, 4, 5, 6, 8, 10],
      effects: ['the discount is {v} %', '{v} % are taken off', 'a discount of {v} % is granted'],
    },
    {
      name: 'terms',
      subject: 'the days until payment is due',
      values: [7, 10, 14, 20, 30, 45, 60],
      effects: [
        'payment is due after {v} days',
        'the {customer} has {v} days to pay',
        '{v} days are given for payment',
      ],
      attributes: ['segment', 'years', 'open', 'desk', 'price'],
    },
    {
      name: 'code',
      subject: 'the code of invoices',
      values: ['V1', 'V2', 'V3', 'V4', 'V5', 'V6'],
      effects: [
        'the invoice is entered under {v}',
        'the code of the invoice is {v}',
        '{v} is the code for the invoice',
        'for the invoice the code {v} is used',
      ],
      attributes: ['group', 'season', 'segment', 'desk'],
    },
  ],
  readings: [
    ['The day that decides is the day of the sale.', 'For invoices the day of the sale decides.'],
    [
      'The discount is entered in EUR, as a share of the amount of the invoice.',
      'Enter the discount as an amount in EUR.',
    ],
    [
      'A draft that is right is released with the figures that it has.',
      'Drafts are released in any case, with the right figures.',
    ],
    ['Drafts with the status "cancelled" are left alone.', 'What has the status "cancelled" is not touched.'],
  ],
};
