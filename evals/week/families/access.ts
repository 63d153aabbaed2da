/** Access and equipment for those who come, stay or go. */
import { nobody } from '../batch-goal.ts';
import { access as policy } from '../manual/policies/access.ts';
import { recordFamily } from '../record-family.ts';
import { sum, text } from '../world.ts';

export const accessFamily = recordFamily({
  name: 'access',
  policy,
  kind: 'access',
  prefix: 'U',
  tool: 'ledger_grant',
  daysAgo: [4, 60],
  dayOf: 'request',
  partyKind: 'supplier',
  things: 'requests for access',
  places: {
    system: { in: 'entry', field: 'system' },
    role: {
      in: 'note',
      sentences: {
        employee: ['Has a permanent contract with us.', 'Is on our own payroll.'],
        temp: ['Sent by the agency.', 'Comes from the agency for temps.'],
        trainee: ['Is here to learn the trade.', 'In the second year of training.'],
        consultant: ['Advises us for a fee.', 'Comes from the consultancy.'],
      },
    },
    stay: { in: 'days', field: 'works_until', sign: 1 },
    courses: { in: 'entry', field: 'courses' },
    device: { in: 'entry', field: 'device' },
    desk: { in: 'entry', field: 'desk' },
  },
  requests: [
    'Decide on {which} by the manual.',
    'Please settle {which}: level, days and, where needed, approval, all by the manual.',
  ],
  entry: () => ({}),
  fieldsOf(entry, outcome) {
    if (text(entry, 'status') === 'left') return null;
    const level = String(outcome['level']);
    const days = level === 'none' ? 0 : Number(outcome['days']);
    return { level, days, approver: level === 'none' ? nobody : String(outcome['approver']), _amount: days };
  },
  figures: [
    {
      name: 'number of requests for which the level is not none',
      of: (booked) => booked.filter((row) => row['level'] !== 'none').length,
    },
    { name: 'sum of the days granted', of: (booked) => sum(booked, 'days') },
  ],
  change: {
    fields: { status: 'left' },
    words: 'the person behind {id} has left us. No access is needed any more, if none was given yet.',
  },
});
