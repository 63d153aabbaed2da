/** What colleagues ask for: their expenses, and access. */
import { dayAfter } from '../days.ts';
import { cents, number } from '../office.ts';
import { money, whole } from '../tools/decisions.ts';
import { counted, recordArea, summed } from './area.ts';
import * as fact from './facts.ts';

const { nobody } = fact;

export const expenses = recordArea({
  name: 'expenses',
  owner: 'Head of Finance',
  titles: ['Outlays of colleagues', 'Travel and other expenses', 'What the house pays'],
  kind: 'expense',
  prefix: 'E',
  party: 'colleague',
  things: 'expense claims',
  dayOf: 'receipt',
  facts: {
    sort: fact.choice('the sort of expense | sort | train, hotel, meal, gift, training, taxi, equipment'),
    amount: fact.euros('the {claim} | amount | 10 900 5 5: 50 80 120 150 200 300 400 500 600'),
    age: fact.daysUntil(
      'the time from the receipt to the {claim} | claimed_on | 0 45 1 3: 8 10 14 18 21 25 30',
    ),
    proof: fact.noted('the proof', {
      receipt: 'Receipt attached.',
      copy: 'I have only a photocopy of the receipt, attached.',
      'own note': 'The receipt is lost; I have written a note myself, attached.',
    }),
    grade: fact.count('the grade of the {staff} | party.grade | 1 9 1 1: 3 4 5 6 7'),
    team: fact.department(
      'the team of the {staff} | party.team | Finance, Warehouse, Purchasing, People, Design',
    ),
    place: fact.noted('the place of the spending', {
      home: 'For the day at the customer across town. | For the workshop in our own hall.',
      abroad: 'During the week at the mill in Morocco. | For the visit to the works in Canada.',
      fair: 'At our stand at the spring fair. | For the three days of the furniture fair.',
    }),
  },
  terms: ['trip, journey, errand | place age amount', 'post, role, function | team grade proof'],
  questions: {
    share: fact.figure('the share of expenses | % | 0 20 25 40 50 60 70 75 80 90 100'),
    ceiling: fact.figure(
      'the ceiling of expenses | EUR | 60 90 110 140 180 220 260 350 1000 | sort grade place team proof',
    ),
    code: fact.code('the {claim} | E 7 | sort place team proof'),
    approver: fact.approver(
      'the {claim} | Finance People Operations Purchasing | amount grade team sort age',
    ),
  },
  readings: [
    'First take the share, then apply the ceiling to the result.',
    'Where 0 is paid, it is booked with 0 and its code, and no approval is needed.',
  ],
  request: 'Please settle {which}: what is paid, the code and, where needed, approval, all by the manual.',
  tool: { name: 'ledger_settle', description: 'Settles expenses with the amount that is paid out.' },
  fields: { paid: money('The amount, 0 if it is turned down.') },
  isPossible: ({ day, age }, today) => dayAfter(String(day), Number(age)) <= today,
  decide(claim, { share, ceiling, code, approver }) {
    const paid = cents(Math.min((number(claim, 'amount') * Number(share)) / 100, Number(ceiling)));
    return { paid, code, approver: paid === 0 ? nobody : approver, _amount: paid };
  },
  figures: [
    counted('number of claims that get more than 0', (row) => number(row, 'paid') > 0),
    summed('total paid out in EUR', 'paid'),
  ],
  closed: 'taken back',
  closing:
    'I have taken back my claim {id}, it was meant for another project. Please leave it unless it is paid already.',
});

/** Access and equipment for those who come, stay or go. */
export const access = recordArea({
  name: 'access',
  owner: 'Head of People',
  titles: ['Access and equipment', 'Coming and going', 'Keys and accounts', 'What a newcomer gets'],
  kind: 'access',
  prefix: 'U',
  party: 'supplier',
  things: 'requests for access',
  dayOf: 'request',
  facts: {
    system: fact.choice('the system | system | ledger, warehouse, payroll, shop, archive'),
    role: fact.noted('the role', {
      employee: 'Has a permanent contract with us. | Is on our own payroll.',
      temp: 'Sent by the agency. | Comes from the agency for temps.',
      trainee: 'Is here to learn the trade. | In the second year of training.',
      consultant: 'Advises us for a fee. | Comes from the consultancy.',
    }),
    stay: fact.daysUntil('the planned stay | works_until | 5 720 1 3: 30 60 90 180 270 365 540'),
    courses: fact.count('the number of courses taken | courses | 0 10 1 1: 2 3 4 5 7'),
    device: fact.choice('the device | device | own, company, shared'),
    desk: fact.department('the desk of the workplace'),
  },
  terms: ['worker, guest, newcomer | role stay desk', 'workplace, station, access | system device courses'],
  questions: {
    level: fact.option('the level of access | none, read, write, full'),
    days: fact.figure('the time of access | days | 0 14 30 60 90 120 180 | role stay device courses desk'),
    approver: fact.approver('access | People Operations Finance | system role device desk courses'),
  },
  readings: [
    'Where the level is "none", 0 days are entered and no approval is needed.',
    'An approval is asked for with the number of days as its amount.',
  ],
  request: 'Please settle {which}: level, days and, where needed, approval, all by the manual.',
  tool: {
    name: 'ledger_grant',
    description: 'Decides requests of colleagues for access and equipment.',
  },
  fields: { days: whole(4_000, 'For how many days.') },
  decide(_, { level, days: granted, approver }) {
    const days = level === 'none' ? 0 : granted;
    return { level, days, approver: level === 'none' ? nobody : approver, _amount: days };
  },
  figures: [
    counted('number of requests for which the level is not none', ({ level }) => level !== 'none'),
    summed('sum of the days granted', 'days'),
  ],
  closed: 'left',
  closing: 'the person behind {id} has left us. No access is needed any more, if none was given yet.',
});
