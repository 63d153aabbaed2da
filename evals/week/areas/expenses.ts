/** Expenses of colleagues. */
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
  measure,
  nobody,
  noted,
  party,
  question,
  until,
} from './facts.ts';

const sorts = ['train', 'hotel', 'meal', 'gift', 'training', 'taxi', 'equipment'];
const teams = ['Finance', 'Warehouse', 'Purchasing', 'People', 'Design'];

export const expenses = recordArea({
  name: 'expenses',
  topic: 'expenses',
  owner: 'Head of Finance',
  titles: ['Outlays of colleagues', 'Travel and other expenses', 'What the house pays'],
  kind: 'expense',
  prefix: 'E',
  party: 'colleague',
  things: 'expense claims',
  dayOf: 'receipt',
  facts: {
    sort: choice('the sort of expense', entry('sort'), sorts),
    amount: measure(
      'the {claim}',
      'EUR',
      entry('amount'),
      [10, 900, 5, 5, 50, 80, 120, 150, 200, 300, 400, 500, 600],
    ),
    age: measure(
      'the time from the receipt to the {claim}',
      'days',
      until('claimed_on'),
      [0, 45, 1, 3, 8, 10, 14, 18, 21, 25, 30],
    ),
    proof: noted('the proof', {
      receipt: ['Receipt attached.'],
      copy: ['I have only a photocopy of the receipt, attached.'],
      'own note': ['The receipt is lost; I have written a note myself, attached.'],
    }),
    grade: measure('the grade of the {staff}', '', party('grade'), [1, 9, 1, 1, 3, 4, 5, 6, 7]),
    team: department('the team of the {staff}', party('team'), teams),
    place: noted('the place of the spending', {
      home: ['For the day at the customer across town.', 'For the workshop in our own hall.'],
      abroad: ['During the week at the mill in Morocco.', 'For the visit to the works in Canada.'],
      fair: ['At our stand at the spring fair.', 'For the three days of the furniture fair.'],
    }),
  },
  terms: [
    { names: ['trip', 'journey', 'errand'], attributes: ['place', 'age', 'amount'] },
    { names: ['post', 'role', 'function'], attributes: ['team', 'grade', 'proof'] },
  ],
  questions: {
    share: question('the share of expenses', [0, 20, 25, 40, 50, 60, 70, 75, 80, 90, 100], undefined, '%'),
    ceiling: question(
      'the ceiling of expenses',
      [60, 90, 110, 140, 180, 220, 260, 350, 1_000],
      'sort grade place team proof',
      'EUR',
    ),
    code: code('the {claim}', 'E', 7, 'sort place team proof'),
    approver: approver(
      'the {claim}',
      ['Head of Finance', 'Head of People', 'Head of Operations', 'Head of Purchasing'],
      'amount grade team sort age',
    ),
  },
  readings: [
    'First take the share, then apply the ceiling to the result.',
    'Where 0 is paid, it is booked with 0 and its code, and no approval is needed.',
  ],
  request: 'Please settle {which}: what is paid, the code and, where needed, approval, all by the manual.',
  tool: {
    name: 'ledger_settle',
    description: 'Settles expenses with the amount that is paid out.',
    fields: {
      paid: money('The amount, 0 if it is turned down.'),
      code: codeField(),
      approval_id: approval(),
    },
  },
  isPossible: ({ day, age }, today) => dayAfter(String(day), Number(age)) <= today,
  decide: (claim, { share, ceiling, code: own, approver: post }) => {
    const paid = cents(Math.min((number(claim, 'amount') * Number(share)) / 100, Number(ceiling)));
    return { paid, code: own, approver: paid === 0 ? nobody : post, _amount: paid };
  },
  figures: [
    counted('number of claims that get more than 0', (row) => number(row, 'paid') > 0),
    summed('total paid out in EUR', 'paid'),
  ],
  closed: 'taken back',
  closing:
    'I have taken back my claim {id}, it was meant for another project. Please leave it unless it is paid already.',
});
