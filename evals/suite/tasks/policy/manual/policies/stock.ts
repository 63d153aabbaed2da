/** When and how much is ordered again. */
import { yearsWith } from '../attributes.ts';
import type { PolicySpec } from '../rules.ts';

export const stock: PolicySpec = {
  name: 'stock',
  topic: 'stock',
  titles: ['The store room', 'Ordering again', 'Stock and supply', 'What we keep in store'],
  attributes: {
    left: {
      kind: 'number',
      noun: 'the stock',
      min: 0,
      max: 400,
      step: 1,
      limits: [20, 40, 60, 90, 120, 180, 250],
      margin: 3,
      over: [
        'more than {n} pieces are left',
        'the stock is more than {n} pieces',
        'there are more than {n} pieces in store',
      ],
      under: [
        'less than {n} pieces are left',
        'the stock is less than {n} pieces',
        'there are less than {n} pieces in store',
      ],
    },
    sold: {
      kind: 'number',
      noun: 'the sales',
      min: 1,
      max: 200,
      step: 1,
      limits: [15, 25, 40, 60, 80, 110, 140],
      margin: 2,
      over: ['more than {n} pieces were sold in the last month', 'monthly sales are more than {n} pieces'],
      under: ['less than {n} pieces were sold in the last month', 'monthly sales are less than {n} pieces'],
    },
    lead: {
      kind: 'number',
      noun: 'the lead time',
      min: 2,
      max: 80,
      step: 1,
      limits: [8, 12, 18, 25, 35, 45, 60],
      margin: 3,
      over: ['the supplier needs more than {n} days', 'the lead time is more than {n} days'],
      under: ['the supplier needs less than {n} days', 'the lead time is less than {n} days'],
    },
    group: {
      kind: 'choice',
      noun: 'the group',
      values: ['ceramics', 'textiles', 'lighting', 'furniture', 'garden', 'tools'],
      is: ['the product is from the group "{v}"', 'it is a matter of {v}', 'the stock entry belongs to {v}'],
    },
    shelf: {
      kind: 'choice',
      noun: 'the shelf',
      values: ['cold', 'dry', 'outdoor'],
      is: ['it is kept in the {v} store', 'the place is the {v} store', 'the {v} store holds it'],
    },
    years: yearsWith('the supplier'),
    desk: {
      kind: 'choice',
      noun: 'the desk',
      values: ['North desk', 'South desk', 'Export desk', 'Online desk'],
      department: true,
      is: [
        'the product is kept by the {v}',
        'the {v} is in charge of the product',
        'the product falls to the {v}',
        'the product is a matter of the {v}',
      ],
    },
  },
  terms: [
    { names: ['product', 'article', 'item'], attributes: ['group', 'shelf', 'sold'] },
    { names: ['supply', 'source', 'route'], attributes: ['lead', 'years', 'desk'] },
  ],
  questions: [
    {
      name: 'months',
      subject: 'the amount ordered',
      values: [0, 1, 2, 3, 4, 5, 6],
      effects: [
        'as much is ordered as is sold in {v} months',
        'the order is for the sales of {v} months',
        '{v} months of sales are ordered',
      ],
    },
    {
      name: 'pack',
      subject: 'the size of packs',
      values: [1, 5, 6, 10, 12, 20, 25],
      effects: [
        'it is ordered in packs of {v}',
        'the number of pieces in a pack is {v}',
        'the size of packs is {v}',
      ],
      attributes: ['group', 'shelf', 'desk', 'years'],
    },
    {
      name: 'mode',
      subject: 'the way of delivery',
      values: ['lorry', 'rail', 'parcel', 'pick-up'],
      effects: ['it comes by {v}', 'the way of delivery is "{v}"', 'for the delivery {v} is chosen'],
      attributes: ['group', 'lead', 'desk', 'shelf', 'sold'],
    },
    {
      name: 'approver',
      subject: 'the approval of orders to suppliers',
      values: ['nobody', 'Head of Purchasing', 'Head of Finance', 'Head of Operations'],
      words: {
        nobody: 'nobody',
        'Head of Purchasing': 'the Head of Purchasing',
        'Head of Finance': 'the Head of Finance',
        'Head of Operations': 'the Head of Operations',
      },
      effects: [
        '{v} has to approve the order to the supplier',
        'the order to the supplier needs the approval of {v}',
        'approving the order to the supplier is up to {v}',
        'the approval of the order to the supplier is a matter for {v}',
      ],
      attributes: ['sold', 'lead', 'group', 'desk'],
    },
  ],
  readings: [
    ['The day that decides is the day of the count.', 'For stock the day of the count decides.'],
    [
      'The amount is the monthly sales times the months, rounded up to full packs.',
      'Multiply the sales of the last month by the months and round up to whole packs.',
    ],
    [
      'Where 0 pieces are ordered no approval is needed, but the way of delivery is entered all the same.',
      'No approval is needed for 0 pieces; the way of delivery is entered in any case.',
    ],
    [
      'The amount that is approved is the number of pieces.',
      'An approval is asked for with the number of pieces as its amount.',
    ],
    [
      'Approval by nobody means that no approval is needed.',
      'If nobody has to approve, it is ordered without an approval.',
    ],
    [
      'Stock with the status "discontinued" is left alone.',
      'What has the status "discontinued" is not touched.',
    ],
  ],
};
