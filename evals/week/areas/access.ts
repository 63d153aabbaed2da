/** Access and equipment for those who come, stay or go. */
import { approval, oneOf, whole } from '../tools/decisions.ts';
import { counted, recordArea, summed } from './area.ts';
import { approver, choice, department, entry, measure, nobody, noted, question, until } from './facts.ts';

const levels = ['none', 'read', 'write', 'full'];

export const access = recordArea({
  name: 'access',
  topic: 'access',
  owner: 'Head of People',
  titles: ['Access and equipment', 'Coming and going', 'Keys and accounts', 'What a newcomer gets'],
  kind: 'access',
  prefix: 'U',
  party: 'supplier',
  things: 'requests for access',
  dayOf: 'request',
  facts: {
    system: choice('the system', entry('system'), ['ledger', 'warehouse', 'payroll', 'shop', 'archive']),
    role: noted('the role', {
      employee: ['Has a permanent contract with us.', 'Is on our own payroll.'],
      temp: ['Sent by the agency.', 'Comes from the agency for temps.'],
      trainee: ['Is here to learn the trade.', 'In the second year of training.'],
      consultant: ['Advises us for a fee.', 'Comes from the consultancy.'],
    }),
    stay: measure(
      'the planned stay',
      'days',
      until('works_until'),
      [5, 720, 1, 3, 30, 60, 90, 180, 270, 365, 540],
    ),
    courses: measure('the number of courses taken', '', entry('courses'), [0, 10, 1, 1, 2, 3, 4, 5, 7]),
    device: choice('the device', entry('device'), ['own', 'company', 'shared']),
    desk: department('the desk of the workplace'),
  },
  terms: [
    { names: ['worker', 'guest', 'newcomer'], attributes: ['role', 'stay', 'desk'] },
    { names: ['workplace', 'station', 'access'], attributes: ['system', 'device', 'courses'] },
  ],
  questions: {
    level: question('the level of access', levels),
    days: question(
      'the time of access',
      [0, 14, 30, 60, 90, 120, 180],
      'role stay device courses desk',
      'days',
    ),
    approver: approver(
      'access',
      ['Head of People', 'Head of Operations', 'Head of Finance'],
      'system role device desk courses',
    ),
  },
  readings: [
    'Where the level is "none", 0 days are entered and no approval is needed.',
    'An approval is asked for with the number of days as its amount.',
  ],
  request: 'Please settle {which}: level, days and, where needed, approval, all by the manual.',
  tool: {
    name: 'ledger_grant',
    description: 'Decides requests of colleagues for access and equipment.',
    fields: { level: oneOf(levels), days: whole(4_000, 'For how many days.'), approval_id: approval() },
  },
  decide: (_, { level, days: granted, approver: post }) => {
    const days = level === 'none' ? 0 : granted;
    return { level, days, approver: level === 'none' ? nobody : post, _amount: days };
  },
  figures: [
    counted('number of requests for which the level is not none', ({ level }) => level !== 'none'),
    summed('sum of the days granted', 'days'),
  ],
  closed: 'left',
  closing: 'the person behind {id} has left us. No access is needed any more, if none was given yet.',
});
