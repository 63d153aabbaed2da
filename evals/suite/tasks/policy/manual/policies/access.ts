/** Who gets access to what, and for how long. */
import type { PolicySpec } from '../rules.ts';

export const access: PolicySpec = {
  name: 'access',
  topic: 'access',
  titles: ['Access and equipment', 'Coming and going', 'Keys and accounts', 'What a newcomer gets'],
  attributes: {
    system: {
      kind: 'choice',
      noun: 'the system',
      values: ['ledger', 'warehouse', 'payroll', 'shop', 'archive'],
      is: ['access to the {v} is wanted', 'the {request} is for the {v}', 'it is about the {v}'],
    },
    role: {
      kind: 'choice',
      noun: 'the role',
      values: ['employee', 'temp', 'trainee', 'consultant'],
      words: { employee: 'an employee', temp: 'a temp', trainee: 'a trainee', consultant: 'a consultant' },
      is: ['{v} makes the {request}', 'the one who asks is {v}', 'it is for {v}'],
    },
    stay: {
      kind: 'number',
      noun: 'the stay',
      min: 5,
      max: 720,
      step: 1,
      limits: [30, 60, 90, 180, 270, 365, 540],
      margin: 3,
      over: ['the work is to last more than {n} days', 'more than {n} days are planned for the work'],
      under: ['the work is to last less than {n} days', 'less than {n} days are planned for the work'],
    },
    courses: {
      kind: 'number',
      noun: 'the courses',
      min: 0,
      max: 10,
      step: 1,
      limits: [2, 3, 4, 5, 7],
      margin: 1,
      over: ['more than {n} courses have been taken', 'the number of courses is more than {n}'],
      under: ['less than {n} courses have been taken', 'the number of courses is less than {n}'],
    },
    device: {
      kind: 'choice',
      noun: 'the device',
      values: ['own', 'company', 'shared'],
      words: { own: 'a device of their own', company: 'a company device', shared: 'a shared device' },
      is: ['{v} is used', 'the work is done on {v}', 'it runs on {v}'],
    },
    desk: {
      kind: 'choice',
      noun: 'the desk',
      values: ['North desk', 'South desk', 'Export desk', 'Online desk'],
      department: true,
      is: [
        'the workplace is kept by the {v}',
        'the {v} is in charge of the workplace',
        'the workplace falls to the {v}',
        'the workplace is a matter of the {v}',
      ],
    },
  },
  terms: [
    { names: ['worker', 'guest', 'newcomer'], attributes: ['role', 'stay', 'desk'] },
    { names: ['workplace', 'station', 'access'], attributes: ['system', 'device', 'courses'] },
  ],
  questions: [
    {
      name: 'level',
      subject: 'the level of access',
      values: ['none', 'read', 'write', 'full'],
      effects: ['the level is "{v}"', 'the level "{v}" is granted', 'what is granted is the level "{v}"'],
    },
    {
      name: 'days',
      subject: 'the days of access',
      values: [0, 14, 30, 60, 90, 120, 180],
      effects: ['access is for {v} days', 'it ends after {v} days', '{v} days are granted'],
      attributes: ['role', 'stay', 'device', 'courses', 'desk'],
    },
    {
      name: 'approver',
      subject: 'the approval of access',
      values: ['nobody', 'Head of People', 'Head of Operations', 'Head of Finance'],
      words: {
        nobody: 'nobody',
        'Head of People': 'the Head of People',
        'Head of Operations': 'the Head of Operations',
        'Head of Finance': 'the Head of Finance',
      },
      effects: [
        '{v} has to approve the access',
        'the access needs the approval of {v}',
        'approving the access is up to {v}',
        'the approval of the access is a matter for {v}',
      ],
      attributes: ['system', 'role', 'device', 'desk', 'courses'],
    },
  ],
  readings: [
    [
      'The day that decides is the day of the {request}.',
      'For access the day on which it was asked for decides.',
    ],
    [
      'Where the level is "none", 0 days are entered and no approval is needed.',
      'The level "none" is entered with 0 days and without an approval.',
    ],
    [
      'The amount that is approved is the number of days.',
      'An approval is asked for with the number of days as its amount.',
    ],
    [
      'Approval by nobody means that no approval is needed.',
      'If nobody has to approve, it is granted without an approval.',
    ],
    ['What has the status "left" is not touched.', 'Nothing is done where the status is "left".'],
  ],
};
