/** What customers want: refunds, prices, repairs and erasure. */
import { cents, number, text } from '../office.ts';
import { dayAfter } from '../days.ts';
import { day, money } from '../tools/decisions.ts';
import { counted, recordArea, summed } from './area.ts';
import * as fact from './facts.ts';

const { nobody } = fact;

/** Refunds on everything that an incident touched. */
export const refunds = recordArea({
  name: 'refunds',
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
    delay: fact.daysSince('the delay of the delivery | promised_on | 0 40 1 3: 4 6 8 10 12 14 18 21 25'),
    price: fact.euros(
      'the price of the {order} | amount | 40 4000 10 20: 200 350 500 800 1000 1500 2000 2500',
    ),
    fault: fact.noted('the reason for the complaint', {
      damaged: 'One corner is broken off. | The box was fine, but what was in it was dented.',
      incomplete: 'Two of the parts in the list are not in the box. | The screws are missing.',
      'wrong item': 'This is not what we had ordered. | We ordered something else altogether.',
      disliked:
        'It works, but we do not like the colour. | Nothing is wrong with it, we just changed our mind.',
      late: 'It is fine, but it came far too late. | We needed it for an event that is over by now.',
    }),
    segment: fact.segment(),
    years: fact.years('the {customer}', '3 5 7 9 10'),
    group: fact.group(),
    carrier: fact.choice('the carrier | carrier | Norpak, Velotrans, Ostkurier, own van'),
    desk: fact.department('the desk of the {order}'),
  },
  terms: [
    'delivery, consignment, freight | delay carrier price',
    'customer, patron, partner | segment years desk',
  ],
  questions: {
    share: fact.figure('the share of the price | % | 0 10 15 20 25 30 40 50 60 75 80 100'),
    fee: fact.figure('the deduction | EUR | 0 5 8 10 12 15 20 25 | price segment group carrier fault desk'),
    code: fact.code('the refund | R 8 | fault group desk segment delay'),
    approver: fact.approver('the refund | Service Finance Sales Operations | price desk years fault'),
  },
  readings: [
    'A refund is the share of the price less the deduction, and at least 0.',
    'Where 0 is refunded, the booking is made with 0 and its code, and no approval is needed.',
  ],
  request: 'Please settle {which}: book for each what the manual gives.',
  tool: { name: 'ledger_refund', description: 'Books refunds on orders, one for each order.' },
  fields: { refund: money('The amount, 0 if nothing is paid back.') },
  entry: (random, own) => ({
    item: random.pick(['lamp', 'bench', 'bowl', 'shelf', 'mirror', 'rug']),
    ordered_on: dayAfter(String(own['day']), -random.int(46, 60)),
  }),
  decide(order, { share, fee, code, approver }) {
    const refund = Math.max(0, cents((number(order, 'amount') * Number(share)) / 100 - Number(fee)));
    return { refund, code, approver: refund === 0 ? nobody : approver, _amount: refund };
  },
  figures: [
    counted('number of orders with a refund of more than 0', (row) => number(row, 'refund') > 0),
    summed('total of the refunds in EUR', 'refund'),
  ],
  closed: 'withdrawn',
  closing: 'we have withdrawn our complaint about order {id}; please book nothing if you have not done so.',
});

export const quotes = recordArea({
  name: 'quotes',
  owner: 'Head of Sales',
  titles: ['Open quotes', 'New prices', 'What a quote may promise', 'Prices and discounts'],
  kind: 'quote',
  prefix: 'Q',
  party: 'customer',
  things: 'open quotes',
  dayOf: 'request',
  facts: {
    price: fact.euros('the list price | amount | 80 4800 20 40: 500 800 1200 1600 2200 3000'),
    segment: fact.segment(),
    years: fact.years('the {customer}'),
    pieces: fact.measure('the size of the quote | pieces | pieces | 1 400 1 3: 20 40 60 100 150 200 300'),
    group: fact.group(),
    pay: fact.noted('the wish for payment', {
      'in advance': 'We will pay before you ship anything. | The money can go out before you deliver.',
      'on delivery': 'We pay when it is here. | Payment when the lorry arrives, please.',
      'in instalments':
        'We would like to pay in several parts. | Could we spread the payment over some months?',
    }),
    desk: fact.department('the desk of the quote'),
  },
  terms: ['customer, patron, partner | segment years pay', 'lot, quantity, quote | pieces price group'],
  questions: {
    discount: fact.figure('the discount on the quote | % | 0 2 3 4 5 6 8 10 12 15'),
    carriage: fact.figure('the carriage | EUR | 0 15 20 30 45 60 80 | group pieces desk segment'),
    days: fact.figure(
      'the time for which the quote is good | days | 7 10 14 21 28 30 45 | segment pay years desk',
    ),
    approver: fact.approver('the quote | Sales Finance Service | price pieces desk pay'),
  },
  readings: [
    'The new price is the list price less the discount, with the carriage added to that.',
    'The days for which a quote is good are counted from the day of the request.',
  ],
  request: 'Please price {which}: price, last day and, where needed, approval, all by the manual.',
  tool: { name: 'ledger_reprice', description: 'Sets the price of open quotes.' },
  fields: {
    price: money('The new price in all.'),
    valid_until: day('Last day on which the quote is good, YYYY-MM-DD.'),
  },
  decide(quote, { discount, carriage, days, approver }) {
    const price = cents(number(quote, 'amount') * (1 - Number(discount) / 100) + Number(carriage));
    return { price, valid_until: dayAfter(text(quote, 'day'), Number(days)), approver, _amount: price };
  },
  figures: [
    counted('number of quotes that are priced', () => true),
    summed('total of the new prices in EUR', 'price'),
  ],
  closed: 'declined',
  closing: 'we have bought elsewhere and decline your quote {id}. If it has gone out, just forget it.',
});

/** Requests for erasure against the rules on keeping. */
export const files = recordArea({
  name: 'files',
  topic: 'erasure',
  owner: 'Head of Service',
  titles: ['Requests for erasure', 'Keeping and erasing', 'Stored files', 'How long we keep what'],
  kind: 'file',
  prefix: 'G',
  party: 'customer',
  things: 'files with a request for erasure',
  dayOf: 'request',
  facts: {
    sort: fact.choice('the sort of file | sort | invoice, letter, photo, application, recording, contract'),
    age: fact.daysSince('the age of the file | made_on | 0 4200 1 5: 180 365 730 1095 1460 2190 2920'),
    hold: fact.noted('the hold on the file', {
      court: 'Needed for the lawsuit, says our lawyer. | The judge has asked for it.',
      tax: 'The tax office is still looking at that year. | Part of the audit by the tax office.',
      none: 'Nothing special. | No remark.',
    }),
    segment: fact.segment(),
    consent: fact.choice('the consent of the {customer} | party.consent | given, withdrawn, never asked'),
    copies: fact.count('the number of copies | copies | 0 12 1 1: 2 3 4 6 8'),
    desk: fact.department('the desk of the file'),
  },
  terms: ['file, record, paper | sort age copies', 'person, subject, requester | segment consent desk'],
  questions: {
    action: fact.option('the action on a file | erase, mask, keep'),
    days: fact.figure('the time of keeping | days | 90 180 270 365 540 730 | sort hold segment copies desk'),
    code: fact.code('the file | F 6 | sort hold consent desk'),
  },
  readings: [
    'The days of keeping are counted from the day of the request and are entered as a date; for what is not kept enter "none".',
  ],
  request:
    'Please settle {which}: what is erased, masked or kept, until when, and under which code, by the manual.',
  tool: {
    name: 'ledger_retain',
    description: 'Records what becomes of stored files after a deletion request.',
  },
  fields: { until: day('Until when it is kept, YYYY-MM-DD; "none" if it is erased or masked.') },
  decide: (file, { action, days, code }) => ({
    action,
    until: action === 'keep' ? dayAfter(text(file, 'day'), Number(days)) : 'none',
    code,
  }),
  figures: [
    counted('number of files that are erased', ({ action }) => action === 'erase'),
    counted('number of files that are masked', ({ action }) => action === 'mask'),
    counted('number of files that are kept', ({ action }) => action === 'keep'),
  ],
  closed: 'handed over',
  closing:
    'file {id} has been handed over to us in person, so there is nothing left to do, unless you have done it already.',
});

export const repairs = recordArea({
  name: 'repairs',
  owner: 'Head of Service',
  titles: ['Broken goods', 'Repairs and warranty', 'When things break', 'Mending and replacing'],
  kind: 'repair',
  prefix: 'R',
  party: 'customer',
  things: 'reports of broken goods',
  dayOf: 'report',
  facts: {
    age: fact.daysSince(
      'the time from purchase to report | bought_on | 10 1800 1 5: 90 180 365 545 730 1095 1400',
    ),
    price: fact.euros('the price when new | amount | 40 1800 10 20: 150 250 400 600 900 1200'),
    cause: fact.noted('the cause of the damage', {
      wear: 'Used every day for a long time. | The workshop finds it simply worn out.',
      fall: 'It fell off the table. | It was dropped on the stairs.',
      material: 'The workshop finds a flaw in the material. | There is a bubble inside the metal.',
      transport: 'It was shaken loose on the way to us. | The lorry must have braked hard.',
    }),
    part: fact.choice('the broken part | part | frame, motor, surface, switch'),
    segment: fact.segment(),
    years: fact.years('the {customer}'),
    desk: fact.department('the desk of the repair'),
  },
  terms: ['fault, break, defect | cause part age', 'customer, owner, holder | segment years desk'],
  questions: {
    action: fact.option('the action on broken goods | repair, replace, return, credit'),
    charge: fact.figure(
      'the share of the price when new that the {customer} pays | % | 0 10 15 20 25 30 40 50',
    ),
    code: fact.code('the repair | W 5 | cause part segment desk'),
  },
  readings: ['The charge is entered in EUR.'],
  request: 'Please settle {which}: what is done, what it costs the owner, and the code, by the manual.',
  tool: { name: 'ledger_warranty', description: 'Records what is done about repairs.' },
  fields: { charge: money('What the customer has to pay.') },
  decide: (repair, { action, charge, code }) => ({
    action,
    charge: cents((number(repair, 'amount') * Number(charge)) / 100),
    code,
  }),
  figures: [
    counted('number of goods that are replaced', ({ action }) => action === 'replace'),
    summed('total of the charges in EUR', 'charge'),
  ],
  closed: 'with insurer',
  closing:
    'our insurer has taken over the matter of {id}. Please do nothing more about it than you have done so far.',
});
