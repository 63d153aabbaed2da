/** Refunds on everything that an incident touched. */
import { dayAfter } from '../days.ts';
import { approval, codeField, money } from '../tools/decisions.ts';
import { cents, number } from '../office.ts';
import { counted, recordArea, summed } from './area.ts';
import {
  approver,
  choice,
  code,
  department,
  entry,
  group,
  measure,
  nobody,
  question,
  segment,
  since,
  years,
} from './facts.ts';

const complaints: Readonly<Record<string, readonly string[]>> = {
  damaged: ['One corner is broken off.', 'The box was fine, but what was in it was dented.'],
  incomplete: ['Two of the parts in the list are not in the box.', 'The screws are missing.'],
  'wrong item': ['This is not what we had ordered.', 'We ordered something else altogether.'],
  disliked: [
    'It works, but we do not like the colour.',
    'Nothing is wrong with it, we just changed our mind.',
  ],
  late: ['It is fine, but it came far too late.', 'We needed it for an event that is over by now.'],
};
const reason = { in: 'ticket', sentences: complaints } as const;
const goods = ['lamp', 'bench', 'bowl', 'shelf', 'mirror', 'rug'];
const posts = ['Head of Service', 'Head of Finance', 'Head of Sales', 'Head of Operations'];

export const refunds = recordArea({
  name: 'refunds',
  topic: 'refunds',
  owner: 'Head of Service',
  titles: ['Complaints and refunds', 'When something went wrong', 'Money back', 'Making good'],
  kind: 'order',
  prefix: 'O',
  party: 'customer',
  things: 'orders with a complaint',
  dayOf: 'delivery',
  complaints: [
    'What can you do for us?',
    'Please settle this.',
    'Kindly let us know.',
    'We had expected better.',
  ],
  facts: {
    delay: measure(
      'the delay of the delivery',
      'days',
      since('promised_on'),
      [0, 40, 1, 3, 4, 6, 8, 10, 12, 14, 18, 21, 25],
    ),
    price: measure(
      'the price of the {order}',
      'EUR',
      entry('amount'),
      [40, 4_000, 10, 20, 200, 350, 500, 800, 1_000, 1_500, 2_000, 2_500],
    ),
    fault: choice('the reason for the complaint', reason, Object.keys(complaints)),
    segment: segment(),
    years: years('the {customer}', [3, 5, 7, 9, 10]),
    group: group(),
    carrier: choice('the carrier', entry('carrier'), ['Norpak', 'Velotrans', 'Ostkurier', 'own van']),
    desk: department('the desk of the {order}'),
  },
  terms: [
    { names: ['delivery', 'consignment', 'freight'], attributes: ['delay', 'carrier', 'price'] },
    { names: ['customer', 'patron', 'partner'], attributes: ['segment', 'years', 'desk'] },
  ],
  questions: {
    share: question(
      'the share of the price',
      [0, 10, 15, 20, 25, 30, 40, 50, 60, 75, 80, 100],
      undefined,
      '%',
    ),
    fee: question(
      'the deduction',
      [0, 5, 8, 10, 12, 15, 20, 25],
      'price segment group carrier fault desk',
      'EUR',
    ),
    code: code('the refund', 'R', 8, 'fault group desk segment delay'),
    approver: approver('the refund', posts, 'price desk years fault'),
  },
  readings: [
    'A refund is the share of the price less the deduction, and at least 0.',
    'Where 0 is refunded, the booking is made with 0 and its code, and no approval is needed.',
  ],
  request: 'Please settle {which}: book for each what the manual gives.',
  tool: {
    name: 'ledger_refund',
    description: 'Books refunds on orders, one for each order.',
    fields: {
      refund: money('The amount, 0 if nothing is paid back.'),
      code: codeField(),
      approval_id: approval(),
    },
  },
  entry: (random, { day }) => ({
    item: random.pick(goods),
    ordered_on: dayAfter(String(day), -random.int(46, 60)),
  }),
  decide: (order, { share, fee, code: own, approver: post }) => {
    const refund = Math.max(0, cents((number(order, 'amount') * Number(share)) / 100 - Number(fee)));
    return { refund, code: own, approver: refund === 0 ? nobody : post, _amount: refund };
  },
  figures: [
    counted('number of orders with a refund of more than 0', (row) => number(row, 'refund') > 0),
    summed('total of the refunds in EUR', 'refund'),
  ],
  closed: 'withdrawn',
  closing: 'we have withdrawn our complaint about order {id}; please book nothing if you have not done so.',
});
