/** What becomes of meetings while somebody is away. */
import type { PolicySpec } from '../rules.ts';

export const meetings: PolicySpec = {
  name: 'meetings',
  topic: 'meetings',
  titles: [
    'Absence and the calendar',
    'Meetings of those who are away',
    'When a chair stays empty',
    'Appointments and leave',
  ],
  attributes: {
    sort: {
      kind: 'choice',
      noun: 'the sort of meeting',
      values: ['review', 'interview', 'supplier visit', 'training', 'planning', 'one-to-one'],
      words: {
        review: 'a review',
        interview: 'an interview',
        'supplier visit': 'a supplier visit',
        training: 'a training',
        planning: 'a planning',
        'one-to-one': 'a one-to-one',
      },
      is: ['the meeting is {v}', 'it is a matter of {v}', 'the title calls it {v}', '{v} had been fixed'],
    },
    guests: {
      kind: 'number',
      noun: 'the guests from outside',
      min: 0,
      max: 12,
      step: 1,
      limits: [2, 3, 4, 5, 6, 8],
      margin: 1,
      over: [
        'more than {n} guests from outside are expected',
        'the number of outside guests is more than {n}',
        'more than {n} people who are not of the house attend',
      ],
      under: [
        'less than {n} guests from outside are expected',
        'the number of outside guests is less than {n}',
        'fewer than {n} people who are not of the house attend',
      ],
    },
    hours: {
      kind: 'number',
      noun: 'the length',
      min: 30,
      max: 480,
      step: 30,
      limits: [75, 105, 135, 165, 225, 285],
      margin: 15,
      over: [
        'it is to last more than {n} minutes',
        'more than {n} minutes are set aside',
        'the length is more than {n} minutes',
      ],
      under: [
        'it is to last less than {n} minutes',
        'less than {n} minutes are set aside',
        'the length is less than {n} minutes',
      ],
    },
    chair: {
      kind: 'choice',
      noun: 'the chair',
      values: ['own', 'other'],
      words: { own: 'the one who is away', other: 'somebody else' },
      is: ['the chair is taken by {v}', '{v} chairs the meeting', 'the chair is {v}', 'in the chair is {v}'],
    },
    room: {
      kind: 'choice',
      noun: 'the room',
      values: ['online', 'in the house', 'elsewhere'],
      is: ['the meeting takes place {v}', 'it is held {v}', 'the place of the meeting is given as "{v}"'],
    },
    rhythm: {
      kind: 'choice',
      noun: 'the rhythm',
      values: ['once', 'weekly', 'monthly'],
      is: ['it takes place {v}', 'the rhythm is "{v}"', 'the calendar gives its rhythm as "{v}"'],
    },
    desk: {
      kind: 'choice',
      noun: 'the desk',
      values: ['North desk', 'South desk', 'Export desk', 'Online desk'],
      department: true,
      is: [
        'the {v} hosts the meeting',
        'it is hosted by the {v}',
        'the {v} is named as the host',
        'the host is the {v}',
      ],
    },
  },
  terms: [
    { names: ['meeting', 'round', 'session'], attributes: ['guests', 'hours', 'room'] },
    { names: ['date', 'appointment', 'gathering'], attributes: ['chair', 'rhythm', 'desk'] },
  ],
  questions: [
    {
      name: 'action',
      subject: 'what becomes of a meeting',
      values: ['keep', 'move', 'cancel', 'hand_over'],
      words: { keep: 'kept as it is', move: 'moved', cancel: 'cancelled', hand_over: 'handed over' },
      effects: [
        'the meeting is {v}',
        'the appointment is to be {v}',
        'it is {v}',
        'what had been fixed is {v}',
      ],
    },
    {
      name: 'days',
      subject: 'how far a meeting is moved',
      values: [7, 14, 21, 28, 35],
      effects: [
        'a move is by {v} days',
        'what is moved is moved by {v} days',
        '{v} days are the distance of a move',
        'the new day is {v} days after the old one',
      ],
    },
    {
      name: 'stand_in',
      subject: 'who stands in at meetings',
      values: ['deputy', 'manager', 'Head of Service', 'Head of Operations'],
      words: {
        deputy: 'the deputy whom the directory names',
        manager: 'the manager whom the directory names',
        'Head of Service': 'whoever decides for the Head of Service',
        'Head of Operations': 'whoever decides for the Head of Operations',
      },
      effects: [
        'what is handed over goes to {v}',
        'the one who stands in is {v}',
        '{v} attends instead',
        'the seat is taken by {v}',
      ],
    },
  ],
  readings: [
    [
      'The day that decides is the day for which the meeting had been fixed at first.',
      'For meetings the day in the calendar decides, before any move.',
    ],
    [
      'Only meetings of the days of absence are dealt with, the first and the last day included.',
      'This chapter is about meetings on the days of absence, from the first to the last.',
    ],
    [
      'How far a meeting is moved matters only if it is moved, and who stands in only if it is handed over.',
      'The days of a move count only for what is moved, the stand-in only for what is handed over.',
    ],
    [
      'Each of these meetings is entered, also where it stays as it is ("keep").',
      'A meeting that is kept is entered as kept; none is passed over.',
    ],
    [
      'What has been called off already is left alone.',
      'Meetings whose status is "called off" are not touched.',
    ],
  ],
};
