/** Which stored files are erased on request, and which are kept. */
import { segment } from '../attributes.ts';
import type { PolicySpec } from '../rules.ts';

export const files: PolicySpec = {
  name: 'files',
  topic: 'erasure',
  titles: ['Requests for erasure', 'Keeping and erasing', 'Stored files', 'How long we keep what'],
  attributes: {
    sort: {
      kind: 'choice',
      noun: 'the sort of file',
      values: ['invoice', 'letter', 'photo', 'application', 'recording', 'contract'],
      is: [
        'the file is of the sort "{v}"',
        'it is a file of the kind called {v}',
        'what is stored is listed under "{v}"',
      ],
    },
    age: {
      kind: 'number',
      noun: 'the age',
      min: 0,
      max: 4200,
      step: 1,
      limits: [180, 365, 730, 1095, 1460, 2190, 2920],
      margin: 5,
      over: [
        'the file is more than {n} days old',
        'more than {n} days lie between the making of the file and the request',
        'it was made more than {n} days before the request',
      ],
      under: [
        'the file is less than {n} days old',
        'less than {n} days lie between the making of the file and the request',
        'it was made less than {n} days before the request',
      ],
    },
    hold: {
      kind: 'choice',
      noun: 'the hold',
      values: ['court', 'tax', 'none'],
      words: {
        court: 'a hold because of a court case',
        tax: 'a hold because of a tax audit',
        none: 'no hold',
      },
      is: ['there is {v} on it', 'the file is under {v}', '{v} is noted'],
    },
    segment,
    consent: {
      kind: 'choice',
      noun: 'the consent',
      values: ['given', 'withdrawn', 'never asked'],
      is: ['consent was {v}', 'the consent of the {customer} is noted as {v}', 'as to consent, it was {v}'],
    },
    copies: {
      kind: 'number',
      noun: 'the copies',
      min: 0,
      max: 12,
      step: 1,
      limits: [2, 3, 4, 6, 8],
      margin: 1,
      over: ['more than {n} copies exist', 'the number of copies is more than {n}'],
      under: ['less than {n} copies exist', 'the number of copies is less than {n}'],
    },
    desk: {
      kind: 'choice',
      noun: 'the desk',
      values: ['North desk', 'South desk', 'Export desk', 'Online desk'],
      department: true,
      is: [
        'the file is kept by the {v}',
        'the {v} is in charge of the file',
        'the file falls to the {v}',
        'the file is a matter of the {v}',
      ],
    },
  },
  terms: [
    { names: ['file', 'record', 'paper'], attributes: ['sort', 'age', 'copies'] },
    { names: ['person', 'subject', 'requester'], attributes: ['segment', 'consent', 'desk'] },
  ],
  questions: [
    {
      name: 'action',
      subject: 'what becomes of a file',
      values: ['erase', 'mask', 'keep'],
      words: { erase: 'erased', mask: 'masked', keep: 'kept' },
      effects: ['the file is {v}', 'it is to be {v}', 'what is stored is {v}'],
    },
    {
      name: 'days',
      subject: 'how long a file is kept',
      values: [90, 180, 270, 365, 540, 730],
      effects: [
        'what is kept is kept for another {v} days',
        'keeping is for {v} days',
        '{v} days are the time for which it is kept',
      ],
      attributes: ['sort', 'hold', 'segment', 'copies', 'desk'],
    },
    {
      name: 'code',
      subject: 'the code of erasure',
      values: ['F1', 'F2', 'F3', 'F4', 'F5', 'F6'],
      effects: [
        'the file is entered under {v}',
        'the code of the file is {v}',
        '{v} is the code for the file',
        'for the file the code {v} is used',
      ],
      attributes: ['sort', 'hold', 'consent', 'desk'],
    },
  ],
  readings: [
    ['The day that decides is the day of the request.', 'For files the day of the request decides.'],
    [
      'The days of keeping are counted from the day of the request and are entered as a date; for what is not kept enter "none".',
      'Enter the date until which a file is kept, counted from the request, or "none" if it is not kept.',
    ],
    [
      'Files with the status "handed over" are left alone.',
      'What has the status "handed over" is not touched.',
    ],
  ],
};
