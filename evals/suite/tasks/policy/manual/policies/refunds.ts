/** What customers get back for a complaint. */
import { segment } from '../attributes.ts';
import type { PolicySpec } from '../rules.ts';

export const refunds: PolicySpec = {
  name: 'refunds',
  topic: 'refunds',
  titles: ['Complaints and refunds', 'When something went wrong', 'Money back', 'Making good'],
  attributes: {
    delay: {
      kind: 'number',
      noun: 'the delay',
      min: 0,
      max: 40,
      step: 1,
      limits: [4, 6, 8, 10, 12, 14, 18, 21, 25],
      margin: 3,
      over: [
        'the {goods} came more than {n} days after the promised day',
        'the delivery was more than {n} days late',
        'more than {n} days lay between the promised day and the delivery',
        'the {customer} waited more than {n} days beyond the day that was promised',
      ],
      under: [
        'the {goods} came less than {n} days after the promised day',
        'the delivery was less than {n} days late',
        'the delay stayed below {n} days',
        'fewer than {n} days lay between the promised day and the delivery',
      ],
    },
    price: {
      kind: 'number',
      noun: 'the price',
      min: 40,
      max: 4_000,
      step: 10,
      limits: [200, 350, 500, 800, 1_000, 1_500, 2_000, 2_500],
      margin: 20,
      over: [
        'the price of the {order} is more than {n} EUR',
        'the {customer} had to pay more than {n} EUR',
        'more than {n} EUR were charged',
        'the {order} came to more than {n} EUR',
      ],
      under: [
        'the price of the {order} is less than {n} EUR',
        'less than {n} EUR were charged',
        'the {order} came to less than {n} EUR',
        'the {customer} had to pay less than {n} EUR',
      ],
    },
    fault: {
      kind: 'choice',
      noun: 'the complaint',
      values: ['damaged', 'incomplete', 'wrong item', 'disliked', 'late'],
      words: {
        damaged: 'damage',
        incomplete: 'missing parts',
        'wrong item': 'a wrong article',
        disliked: 'mere dislike',
        late: 'lateness',
      },
      is: [
        'the complaint is about {v}',
        'what the {customer} complains of is {v}',
        'the reason for the complaint is {v}',
        'the complaint gives {v} as its reason',
      ],
    },
    segment,
    years: {
      kind: 'number',
      noun: 'the years as customer',
      min: 0,
      max: 14,
      step: 1,
      limits: [3, 5, 7, 9, 10],
      margin: 1,
      over: [
        'the {customer} has been with us for more than {n} years',
        'more than {n} years have passed since the first {order} of the {customer}',
        'we have known the {customer} for more than {n} years',
      ],
      under: [
        'the {customer} has been with us for less than {n} years',
        'we have known the {customer} for less than {n} years',
        'less than {n} years have passed since the first {order} of the {customer}',
      ],
    },
    group: {
      kind: 'choice',
      noun: 'the group of goods',
      values: ['ceramics', 'textiles', 'lighting', 'furniture', 'garden', 'tools'],
      is: [
        'the {goods} came from the group "{v}"',
        'what was delivered is of the group "{v}"',
        'the product is listed under "{v}"',
        'it is a matter of {v}',
      ],
    },
    carrier: {
      kind: 'choice',
      noun: 'the carrier',
      values: ['Norpak', 'Velotrans', 'Ostkurier', 'own van'],
      is: [
        'the carrier was "{v}"',
        'the {goods} came with "{v}"',
        '"{v}" had been charged with the transport',
        'the delivery was made by "{v}"',
      ],
    },
    desk: {
      kind: 'choice',
      noun: 'the desk',
      values: ['North desk', 'South desk', 'Export desk', 'Online desk'],
      department: true,
      is: [
        'the {order} is one of the {v}',
        'the {v} is in charge of the {order}',
        'the {order} was taken by the {v}',
        'it falls to the {v}',
      ],
    },
  },
  terms: [
    { names: ['delivery', 'consignment', 'freight'], attributes: ['delay', 'carrier', 'price'] },
    { names: ['customer', 'patron', 'partner'], attributes: ['segment', 'years', 'desk'] },
  ],
  questions: [
    {
      name: 'share',
      subject: 'the share of the price',
      values: [0, 10, 15, 20, 25, 30, 40, 50, 60, 75, 80, 100],
      effects: [
        '{v} % of the price is {payback}',
        'the {customer} gets {v} % of the price',
        'the share of the price that is {payback} is {v} %',
        'the refund is {v} % of the price',
      ],
    },
    {
      name: 'fee',
      subject: 'the deduction',
      values: [0, 5, 8, 10, 12, 15, 20, 25],
      effects: [
        '{v} EUR are deducted',
        'the deduction is {v} EUR',
        'a deduction of {v} EUR is made',
        '{v} EUR are kept back',
      ],
      attributes: ['price', 'segment', 'group', 'carrier', 'fault', 'desk'],
    },
    {
      name: 'code',
      subject: 'the booking code of refunds',
      values: ['R1', 'R2', 'R3', 'R4', 'R5', 'R6', 'R7', 'R8'],
      effects: [
        'the refund is booked under {v}',
        'the booking code is {v}',
        '{v} is the code of the refund',
        'the code {v} is used',
      ],
      attributes: ['fault', 'group', 'desk', 'segment', 'delay'],
    },
    {
      name: 'approver',
      subject: 'the approval of refunds',
      values: ['nobody', 'Head of Service', 'Head of Finance', 'Head of Sales', 'Head of Operations'],
      words: {
        nobody: 'nobody',
        'Head of Service': 'the Head of Service',
        'Head of Finance': 'the Head of Finance',
        'Head of Sales': 'the Head of Sales',
        'Head of Operations': 'the Head of Operations',
      },
      effects: [
        '{v} has to approve the refund',
        'the refund needs the approval of {v}',
        'the approval is up to {v}',
        '{v} decides on the approval of the refund',
      ],
      attributes: ['price', 'desk', 'years', 'fault'],
    },
  ],
  readings: [
    [
      'The day that decides a refund is the day of delivery.',
      'For refunds the day on which the delivery took place decides.',
      'Which version of this chapter holds depends on the day of delivery.',
    ],
    [
      'First take the share of the price, then make the deduction; what remains is refunded, never less than 0.',
      'A refund is the share of the price less the deduction, and at least 0.',
      'Reckon the share first and the deduction from it after that. The result cannot be below 0.',
    ],
    [
      'Where 0 is refunded, the booking is made with 0 and its code, and no approval is needed.',
      'A refund of 0 is booked too, with its code but without any approval.',
    ],
    [
      'The price is the amount of the {order} in the ledger. Approval by nobody means that no approval is needed.',
      'By price the amount of the {order} is meant. If nobody has to approve, the refund is booked without an approval.',
    ],
    [
      'If a {customer} has withdrawn a complaint, nothing is booked.',
      'Nothing at all is booked on a complaint that the {customer} has withdrawn.',
    ],
  ],
};
