/** How a change of bank account of a supplier is dealt with. */
import { amount, yearsWith } from '../attributes.ts';
import type { PolicySpec } from '../rules.ts';

export const accounts: PolicySpec = {
  name: 'accounts',
  topic: 'accounts',
  titles: [
    'Bank accounts of suppliers',
    'Paying to another account',
    'Guarding payments',
    'When a supplier changes banks',
  ],
  attributes: {
    channel: {
      kind: 'choice',
      noun: 'the channel',
      values: ['letter', 'mail', 'portal', 'telephone'],
      is: ['the request came by {v}', '{v} was the way of the request', 'it was sent in by {v}'],
    },
    country: {
      kind: 'choice',
      noun: 'the country',
      values: ['same', 'other'],
      words: { same: 'the same country as before', other: 'another country than before' },
      is: ['the new account is in {v}', 'the bank sits in {v}'],
    },
    volume: amount('the yearly volume', {
      min: 400,
      max: 30000,
      step: 100,
      limits: [2000, 4000, 8000, 12000, 20000],
      margin: 200,
    }),
    years: yearsWith('the supplier'),
    confirmed: {
      kind: 'choice',
      noun: 'the confirmation',
      values: ['yes', 'no'],
      words: { yes: 'confirms', no: 'does not confirm' },
      is: [
        'the supplier {v} the request when asked',
        'asked at the address in the directory, the supplier {v} it',
        'on being asked, the supplier {v} the change',
      ],
    },
    last: {
      kind: 'number',
      noun: 'the days since the last change',
      min: 5,
      max: 900,
      step: 1,
      limits: [30, 60, 90, 180, 270, 365, 540],
      margin: 3,
      over: [
        'the last change was more than {n} days before',
        'more than {n} days have passed since the account was last changed',
      ],
      under: [
        'the last change was less than {n} days before',
        'less than {n} days have passed since the account was last changed',
      ],
    },
    desk: {
      kind: 'choice',
      noun: 'the desk',
      values: ['North desk', 'South desk', 'Export desk', 'Online desk'],
      department: true,
      is: [
        'the supplier is kept by the {v}',
        'the {v} is in charge of the supplier',
        'the supplier falls to the {v}',
        'the supplier is a matter of the {v}',
      ],
    },
  },
  terms: [
    { names: ['supplier', 'firm', 'vendor'], attributes: ['years', 'volume', 'desk'] },
    { names: ['request', 'change', 'wish'], attributes: ['channel', 'last', 'country'] },
  ],
  questions: [
    {
      name: 'action',
      subject: 'what becomes of a change of account',
      values: ['apply', 'refuse'],
      words: { apply: 'applied', refuse: 'refused' },
      effects: ['the change is {v}', 'the request is to be {v}', 'what was asked for is {v}'],
    },
    {
      name: 'hold',
      subject: 'the holding back of payments',
      values: [0, 3, 5, 7, 10, 14, 21, 30],
      effects: [
        'payments are held back for {v} days',
        '{v} days have to pass before the next payment',
        'the next payment waits for {v} days',
      ],
      attributes: ['country', 'volume', 'channel', 'last', 'desk'],
    },
    {
      name: 'code',
      subject: 'the code of account changes',
      values: ['K1', 'K2', 'K3', 'K4', 'K5', 'K6'],
      effects: [
        'the change is entered under {v}',
        'the code of the change is {v}',
        '{v} is the code for the change',
        'for the change the code {v} is used',
      ],
      attributes: ['channel', 'country', 'confirmed', 'years', 'desk'],
    },
  ],
  readings: [
    [
      'The day that decides is the day of the request.',
      'For changes of account the day of the request decides.',
    ],
    [
      'Every supplier is asked whether the request is theirs, at the address in the directory and about the number of the entry.',
      'Ask each supplier, whose address the directory has, about the number of the entry, whether the request comes from them.',
    ],
    ['Requests with the status "void" are left alone.', 'What has the status "void" is not touched.'],
  ],
};
