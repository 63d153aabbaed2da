/** What colleagues get back for their expenses. */
import type { PolicySpec } from '../rules.ts';

export const expenses: PolicySpec = {
  name: 'expenses',
  topic: 'expenses',
  titles: [
    'Outlays of colleagues',
    'Travel and other expenses',
    'What the house pays',
    'Spending on behalf of the house',
  ],
  attributes: {
    sort: {
      kind: 'choice',
      noun: 'the sort of expense',
      values: ['train', 'hotel', 'meal', 'gift', 'training', 'taxi', 'equipment'],
      is: [
        'the {claim} is for {v}',
        'the money was spent on {v}',
        '{v} is the sort of the {claim}',
        'it is a {claim} of the sort {v}',
      ],
    },
    amount: {
      kind: 'number',
      noun: 'the amount',
      min: 10,
      max: 900,
      step: 5,
      limits: [50, 80, 120, 150, 200, 300, 400, 500, 600],
      margin: 5,
      over: [
        'the {claim} is of more than {n} EUR',
        'more than {n} EUR were spent',
        'the receipt shows more than {n} EUR',
        'the {staff} laid out more than {n} EUR',
      ],
      under: [
        'the {claim} is of less than {n} EUR',
        'less than {n} EUR were spent',
        'the receipt shows less than {n} EUR',
        'the {staff} laid out less than {n} EUR',
      ],
    },
    age: {
      kind: 'number',
      noun: 'the days until the claim',
      min: 0,
      max: 45,
      step: 1,
      limits: [8, 10, 14, 18, 21, 25, 30],
      margin: 3,
      over: [
        'more than {n} days lie between the receipt and the claim',
        'the {staff} handed it in more than {n} days after the date of the receipt',
        'it was claimed more than {n} days after the spending',
      ],
      under: [
        'less than {n} days lie between the receipt and the claim',
        'the {staff} handed it in less than {n} days after the date of the receipt',
        'it was claimed less than {n} days after the spending',
      ],
    },
    proof: {
      kind: 'choice',
      noun: 'the proof',
      values: ['receipt', 'copy', 'own note'],
      words: {
        receipt: 'the receipt itself',
        copy: 'a copy of the receipt',
        'own note': "a note of the {staff}'s own",
      },
      is: ['{v} is attached', 'the proof is {v}', 'what proves the {claim} is {v}', '{v} was handed in'],
    },
    grade: {
      kind: 'number',
      noun: 'the grade',
      min: 1,
      max: 9,
      step: 1,
      limits: [3, 4, 5, 6, 7],
      margin: 1,
      over: [
        'the grade of the {staff} in the directory is more than {n}',
        'the {staff} has a grade of more than {n}',
        'a grade of more than {n} is on file for the {staff}',
      ],
      under: [
        'the grade of the {staff} in the directory is less than {n}',
        'the {staff} has a grade of less than {n}',
        'a grade of less than {n} is on file for the {staff}',
      ],
    },
    team: {
      kind: 'choice',
      noun: 'the team',
      values: ['Finance', 'Warehouse', 'Purchasing', 'People', 'Design'],
      department: true,
      is: [
        'the {staff} belongs to {v}',
        'the directory has the {staff} in {v}',
        '{v} is the {team} of the {staff}',
        'somebody from {v} makes the {claim}',
      ],
    },
    place: {
      kind: 'choice',
      noun: 'the place',
      values: ['home', 'abroad', 'fair'],
      words: { home: 'at home', abroad: 'abroad', fair: 'at a fair' },
      is: [
        'the money was spent {v}',
        'the occasion was {v}',
        'the spending took place {v}',
        'the {staff} was {v} at the time',
      ],
    },
  },
  terms: [
    { names: ['trip', 'journey', 'errand'], attributes: ['place', 'age', 'amount'] },
    { names: ['post', 'role', 'function'], attributes: ['team', 'grade', 'proof'] },
  ],
  questions: [
    {
      name: 'share',
      subject: 'the share of expenses',
      values: [0, 20, 25, 40, 50, 60, 70, 75, 80, 90, 100],
      effects: [
        '{v} % of the {claim} are paid',
        'the house bears {v} % of it',
        'the {staff} gets {v} % of what was spent',
        'the share that is paid is {v} %',
      ],
    },
    {
      name: 'ceiling',
      subject: 'the ceiling of expenses',
      values: [60, 90, 110, 140, 180, 220, 260, 350, 1_000],
      effects: [
        'no more than {v} EUR are paid',
        'the ceiling is {v} EUR',
        'payment ends at {v} EUR',
        '{v} EUR are the most that is paid',
      ],
      attributes: ['sort', 'grade', 'place', 'team', 'proof'],
    },
    {
      name: 'code',
      subject: 'the booking code of expenses',
      values: ['E10', 'E20', 'E30', 'E40', 'E50', 'E60', 'E70'],
      effects: [
        'the {claim} is booked under {v}',
        'the code of the booking is {v}',
        'it is entered under the code {v}',
        '{v} is the code to use',
      ],
      attributes: ['sort', 'place', 'team', 'proof'],
    },
    {
      name: 'approver',
      subject: 'the approval of expenses',
      values: ['nobody', 'Head of Finance', 'Head of People', 'Head of Operations', 'Head of Purchasing'],
      words: {
        nobody: 'nobody',
        'Head of Finance': 'the Head of Finance',
        'Head of People': 'the Head of People',
        'Head of Operations': 'the Head of Operations',
        'Head of Purchasing': 'the Head of Purchasing',
      },
      effects: [
        '{v} has to approve the {claim}',
        'the payment needs the approval of {v}',
        'approving the {claim} is up to {v}',
        '{v} decides whether the {claim} is approved',
      ],
      attributes: ['amount', 'grade', 'team', 'sort', 'age'],
    },
  ],
  readings: [
    [
      'The day that decides an expense is the date of the receipt.',
      'For expenses the date of the receipt decides.',
      'Which version of this chapter holds depends on the date of the receipt.',
    ],
    [
      'First take the share, then apply the ceiling to the result.',
      'What is paid is the share of the amount, but not more than the ceiling.',
      'The ceiling is applied last, to the share and not to the amount.',
    ],
    [
      'Where 0 is paid, it is booked with 0 and its code, and no approval is needed.',
      'A payment of 0 is booked as well, with its code but without any approval.',
    ],
    [
      'Approval by nobody means that no approval is needed.',
      'If nobody has to approve, the payment is booked without an approval.',
    ],
    [
      'What has been taken back by the {staff} is left as it is.',
      'Expenses that the {staff} has taken back are not booked at all.',
    ],
  ],
};
