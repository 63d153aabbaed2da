/** What is agreed with suppliers: contracts, and orders for the store. */
import { cents, number } from '../office.ts';
import { money, whole } from '../tools/decisions.ts';
import { counted, recordArea, summed } from './area.ts';
import * as fact from './facts.ts';

const { nobody } = fact;

/** Contracts that run out. */
export const contracts = recordArea({
  name: 'contracts',
  owner: 'Head of Purchasing',
  titles: ['Contracts that run out', 'Suppliers under contract', 'Renewals', 'Ending and renewing'],
  kind: 'contract',
  prefix: 'V',
  party: 'supplier',
  things: 'contracts that run out',
  dayOf: 'review',
  facts: {
    price: fact.euros('the yearly price | amount | 200 5000 50 60: 600 900 1200 1800 2400 3000 4000'),
    years: fact.years('the supplier'),
    sort: fact.choice(
      'the subject of the contract | subject | cleaning, software, freight, maintenance, printing, energy',
    ),
    faults: fact.count('the number of faults of the supplier | faults | 0 14 1 1: 2 3 4 5 7 9'),
    rival: fact.noted('the offer of a rival', {
      cheaper: 'A rival would do the same for less. | We have an offer that is lower.',
      dearer: 'The only other offer is above what we pay. | Asked around: the one who replied wants more.',
      none: 'Nobody else has made an offer. | We asked around, without any reply.',
    }),
    notice: fact.daysUntil(
      'the time from the review until the contract runs out | runs_out_on | 0 120 1 3: 14 21 30 45 60 75 90',
    ),
    desk: fact.department('the desk of the contract'),
  },
  terms: ['supplier, firm, vendor | years faults sort', 'contract, agreement, deal | price notice desk'],
  questions: {
    action: fact.option('the action on a contract | renew, end, renegotiate'),
    months: fact.figure(
      'the length of a renewal | months | 6 9 12 18 24 30 36 | sort price faults desk years',
    ),
    raise: fact.figure('the accepted raise | % | 0 1 2 3 4 5 6 8 | sort rival years notice desk'),
  },
  readings: [
    'The price of a contract that is ended is 0; otherwise it is the old yearly price with the raise.',
    'Months are entered only where a contract is renewed, 0 otherwise.',
  ],
  request: 'Please go through {which} and enter for each what becomes of it, by the manual.',
  tool: { name: 'ledger_renew', description: 'Records what becomes of contracts.' },
  fields: {
    months: whole(120, 'For how long it is renewed; 0 otherwise.'),
    price: money('The yearly price from then on; 0 if it is ended.'),
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

/** Orders goods again for the store. */
export const stock = recordArea({
  name: 'stock',
  owner: 'Head of Purchasing',
  titles: ['The store', 'Ordering again', 'Stock and supply', 'What we keep in store'],
  kind: 'stock',
  prefix: 'S',
  party: 'supplier',
  things: 'stock entries of the count',
  dayOf: 'count',
  facts: {
    left: fact.measure('the stock | pieces | in_store | 0 400 1 3: 20 40 60 90 120 180 250'),
    sold: fact.measure(
      'what was sold in the last month | pieces | sold_last_month | 1 200 1 2: 15 25 40 60 80 110 140',
    ),
    lead: fact.measure('the lead time | days | party.lead_days | 2 80 1 3: 8 12 18 25 35 45 60'),
    group: fact.group(),
    shelf: fact.noted('the place of storage', {
      cold: 'Stands in the cold room. | To be kept below eight degrees.',
      dry: 'Stands in the dry hall. | Must not get damp, so it is in the dry hall.',
      outdoor: 'Stands in the yard. | Kept under the roof outside.',
    }),
    years: fact.years('the supplier'),
    desk: fact.department('the desk of the product'),
  },
  terms: ['product, article, item | group shelf sold', 'supply, source, route | lead years desk'],
  questions: {
    months: fact.figure('the time for which goods are ordered | months | 0 1 2 3 4 5 6'),
    pack: fact.figure('the size of packs | pieces | 1 5 6 10 12 20 25 | group shelf desk years'),
    mode: fact.option('the way of delivery | lorry, rail, parcel, pick-up | group lead desk shelf sold'),
    approver: fact.approver(
      'the order to the supplier | Purchasing Finance Operations | sold lead group desk',
    ),
  },
  readings: [
    'The amount is the sales of the last month times the months, rounded up to full packs.',
    'Where 0 pieces are ordered no approval is needed, but the way of delivery is entered all the same.',
    'An approval is asked for with the number of pieces as its amount.',
  ],
  request: 'Please decide for {which} how much is ordered again and how it comes, by the manual.',
  tool: {
    name: 'ledger_reorder',
    description: 'Orders goods again, one decision for each stock entry.',
  },
  fields: { quantity: whole(1_000_000, 'Pieces, 0 if none are ordered.') },
  decide(entry, { months, pack, mode, approver }) {
    const packs = Math.ceil((number(entry, 'sold_last_month') * Number(months)) / Number(pack));
    const quantity = packs * Number(pack);
    return { quantity, mode, approver: quantity === 0 ? nobody : approver, _amount: quantity };
  },
  figures: [
    counted('number of entries for which something is ordered', (row) => number(row, 'quantity') > 0),
    summed('total of the pieces ordered', 'quantity'),
  ],
  closed: 'discontinued',
  closing:
    'we no longer make what is in your stock entry {id}; please do not order it, unless you have done so already.',
});
