/** What finance checks: payments, drafts of invoices, and bank accounts. */
import { cents, number, type Row, sum } from '../office.ts';
import { difference, money, whole } from '../tools/decisions.ts';
import { counted, recordArea, summed } from './area.ts';
import * as fact from './facts.ts';

/** Reconciles what was paid with what was owed. */
export const payments = recordArea({
  name: 'payments',
  owner: 'Head of Finance',
  titles: [
    'Payments that differ',
    'Reconciling',
    'Too much and too little',
    'What was paid and what was owed',
  ],
  kind: 'payment',
  prefix: 'Y',
  party: 'customer',
  things: 'payments of the month',
  dayOf: 'arrival',
  facts: {
    owed: fact.euros('the amount owed | owed | 40 3600 10 20: 300 500 900 1300 1800 2500'),
    gap: fact.euros(
      'the amount paid less the amount owed | amount less owed | -90 90 1 2: -50 -30 -15 5 10 20 30 50',
    ),
    late: fact.daysSince('the delay of the payment | due_on | 0 60 1 3: 6 10 14 20 28 35 45'),
    segment: fact.segment(),
    years: fact.years('the {customer}'),
    reason: fact.noted('the reason that the {customer} gives', {
      discount: 'As agreed, with the discount. | Less our discount.',
      return: 'We have sent one piece back. | Settled against what we returned.',
      none: 'Invoice of last time. | Thank you.',
      'bank fee': 'The bank has kept its fee. | Charges of the bank were shared.',
    }),
    desk: fact.department('the desk of the account'),
  },
  terms: ['payer, debtor, account | segment years desk', 'payment, transfer, remittance | late reason owed'],
  questions: {
    action: fact.option('the action on a difference | accept, remind, return, set off, write off'),
    code: fact.code('the difference | D 6 | reason late segment gap'),
  },
  readings: [
    'The difference is what was paid less what was owed, so it is negative if too little came.',
    'Payments without a difference are entered as well.',
  ],
  request:
    'Please check {which} against what was owed and enter difference, step and code as the manual has it.',
  tool: {
    name: 'ledger_flag',
    description: 'Marks payments with the difference to what was owed and what follows from it.',
  },
  fields: { difference: difference('Paid less owed, in EUR.') },
  decide: (payment, outcome) => ({
    difference: cents(number(payment, 'amount') - number(payment, 'owed')),
    ...outcome,
  }),
  figures: [
    counted('number of payments that call for a reminder', ({ action }) => action === 'remind'),
    { name: 'sum of all shortfalls in EUR, without a sign', of: (booked) => -differences(booked, -1) },
    { name: 'sum of all surpluses in EUR', of: (booked) => differences(booked, 1) },
  ],
  closed: 'disputed',
  closing: 'our lawyer is dealing with payment {id}. Leave it as it is, unless it is entered already.',
});

function differences(booked: readonly Row[], sign: 1 | -1): number {
  return sum(
    booked.filter((row) => Math.sign(number(row, 'difference')) === sign),
    'difference',
  );
}

/** Checks a colleague's drafts of invoices, which are wrong in places. */
export const drafts = recordArea({
  name: 'drafts',
  topic: 'invoicing',
  owner: 'Head of Finance',
  titles: ['Invoices', 'Terms of payment', 'What an invoice says', 'Billing'],
  kind: 'draft',
  prefix: 'I',
  party: 'customer',
  things: 'drafts of invoices',
  dayOf: 'sale',
  facts: {
    price: fact.euros('the amount of the invoice | amount | 80 4400 20 40: 400 700 1000 1500 2200 3000'),
    segment: fact.segment(),
    years: fact.years('the {customer}'),
    group: fact.group(),
    season: fact.noted('the season of the sale', {
      'spring sale': 'Bought at the spring sale. | From the sale in spring.',
      'autumn sale': 'Bought at the autumn sale. | From the sale in autumn.',
      none: 'Bought at the normal price. | Ordinary sale.',
    }),
    open: fact.count(
      'the number of open invoices of the {customer} | party.open_invoices | 0 12 1 1: 2 3 4 6 8',
    ),
    desk: fact.department('the desk of the invoice'),
  },
  terms: ['customer, patron, partner | segment years open', 'sale, deal, bargain | season group price'],
  questions: {
    discount: fact.figure('the discount on the invoice | % | 0 2 3 4 5 6 8 10'),
    terms: fact.figure(
      'the time until payment is due | days | 7 10 14 20 30 45 60 | segment years open desk price',
    ),
    code: fact.code('the invoice | V 6 | group season segment desk'),
  },
  readings: [
    'The discount is entered in EUR, as a share of the amount of the invoice.',
    'A draft that is right is released with the figures that it has.',
  ],
  request:
    'A colleague has prepared {which}. Some are wrong. Release all of them with what the manual gives.',
  tool: {
    name: 'ledger_correct',
    description: 'Releases the drafts of a colleague, as they are or corrected.',
  },
  fields: {
    discount: money('The right discount in EUR.'),
    terms: whole(400, 'Days until payment is due.'),
  },
  entry: (random, { price }) => ({
    discount: cents((Number(price) * random.pick([0, 2, 3, 4, 5, 6, 8, 10])) / 100),
    terms: random.pick([7, 10, 14, 20, 30, 45, 60]),
    code: `V${random.int(1, 6)}`,
    drafted_by: 'a colleague',
  }),
  decide: (draft, { discount, terms, code }) => ({
    discount: cents((number(draft, 'amount') * Number(discount)) / 100),
    terms,
    code,
  }),
  figures: [
    counted('number of drafts that are released', () => true),
    summed('total of the discounts in EUR', 'discount'),
  ],
  closed: 'cancelled',
  closing: 'we have cancelled the purchase behind {id}; please send no invoice unless it has gone out.',
});

/** Changes of bank account, with the procedure that guards them. */
export const accounts = recordArea({
  name: 'accounts',
  owner: 'Head of Finance',
  titles: ['Bank accounts of suppliers', 'Paying to another account', 'When a supplier changes banks'],
  kind: 'account change',
  prefix: 'H',
  party: 'supplier',
  things: 'requests to pay to another account',
  dayOf: 'request',
  facts: {
    channel: fact.choice('the channel of the request | channel | letter, mail, portal, telephone'),
    country: fact.noted('the country of the new account', {
      same: 'The bank is round the corner from the old one. | A bank in the same country.',
      other: 'The bank is abroad, seen from them. | The new bank is in another country.',
    }),
    volume: fact.euros(
      'the yearly volume | party.yearly_volume | 400 30000 100 200: 2000 4000 8000 12000 20000',
    ),
    years: fact.years('the supplier'),
    confirmed: fact.told('the confirmation by the supplier', '_confirmed', {
      yes: 'Yes, that is from us.',
      no: 'Sorry, I cannot confirm that. The colleague who would know is on leave.',
    }),
    last: fact.daysSince(
      'the time since the last change | last_change_on | 5 900 1 3: 30 60 90 180 270 365 540',
    ),
    desk: fact.department('the desk of the supplier'),
  },
  terms: ['supplier, firm, vendor | years volume desk', 'request, change, wish | channel last country'],
  questions: {
    action: fact.option('the action on a change of account | apply, refuse'),
    hold: fact.figure(
      'the time for which payments are held back | days | 0 3 5 7 10 14 21 30 | country volume channel last desk',
    ),
    code: fact.code('the change | K 6 | channel country confirmed years desk'),
  },
  readings: [
    'Every supplier is asked whether the request is theirs, at the address in the directory and about the number of the entry.',
  ],
  request: 'Please deal with {which} in the way that the manual lays down.',
  tool: { name: 'ledger_account', description: 'Decides requests to pay to another bank account.' },
  fields: {
    hold_days: whole(400, 'For how many days payments are held back, also when the request is refused.'),
  },
  decide: (_, { action, hold, code }) => ({ action, hold_days: hold, code }),
  figures: [
    counted('number of requests that are applied', ({ action }) => action === 'apply'),
    counted('number of requests that are refused', ({ action }) => action === 'refuse'),
    summed('sum of the days of holding back', 'hold_days'),
  ],
  closed: 'void',
  closing: 'our request {id} is void, we stay with our bank. If you have decided on it, that is fine too.',
});
