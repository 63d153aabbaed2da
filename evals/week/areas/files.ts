/** Requests for erasure against the rules on keeping. */
import { dayAfter } from '../days.ts';
import { codeField, day, oneOf } from '../tools/decisions.ts';
import { text } from '../office.ts';
import { counted, recordArea } from './area.ts';
import { choice, code, department, entry, measure, noted, party, question, segment, since } from './facts.ts';

const actions = ['erase', 'mask', 'keep'];
const sorts = ['invoice', 'letter', 'photo', 'application', 'recording', 'contract'];

export const files = recordArea({
  name: 'files',
  topic: 'erasure',
  owner: 'Head of Service',
  titles: ['Requests for erasure', 'Keeping and erasing', 'Stored files', 'How long we keep what'],
  kind: 'file',
  prefix: 'G',
  party: 'customer',
  things: 'files with a request for erasure',
  dayOf: 'request',
  facts: {
    sort: choice('the sort of file', entry('sort'), sorts),
    age: measure(
      'the age of the file',
      'days',
      since('made_on'),
      [0, 4_200, 1, 5, 180, 365, 730, 1_095, 1_460, 2_190, 2_920],
    ),
    hold: noted('the hold on the file', {
      court: ['Needed for the lawsuit, says our lawyer.', 'The judge has asked for it.'],
      tax: ['The tax office is still looking at that year.', 'Part of the audit by the tax office.'],
      none: ['Nothing special.', 'No remark.'],
    }),
    segment: segment(),
    consent: choice('the consent of the {customer}', party('consent'), ['given', 'withdrawn', 'never asked']),
    copies: measure('the number of copies', '', entry('copies'), [0, 12, 1, 1, 2, 3, 4, 6, 8]),
    desk: department('the desk of the file'),
  },
  terms: [
    { names: ['file', 'record', 'paper'], attributes: ['sort', 'age', 'copies'] },
    { names: ['person', 'subject', 'requester'], attributes: ['segment', 'consent', 'desk'] },
  ],
  questions: {
    action: question('the action on a file', actions),
    days: question(
      'the time of keeping',
      [90, 180, 270, 365, 540, 730],
      'sort hold segment copies desk',
      'days',
    ),
    code: code('the file', 'F', 6, 'sort hold consent desk'),
  },
  readings: [
    'The days of keeping are counted from the day of the request and are entered as a date; for what is not kept enter "none".',
  ],
  request:
    'Please settle {which}: what is erased, masked or kept, until when, and under which code, by the manual.',
  tool: {
    name: 'ledger_retain',
    description: 'Records what becomes of stored files after a deletion request.',
    fields: {
      action: oneOf(actions),
      until: day('Until when it is kept, YYYY-MM-DD; "none" if it is erased or masked.'),
      code: codeField(),
    },
  },
  decide: (file, { action, days, code: own }) => ({
    action,
    until: action === 'keep' ? dayAfter(text(file, 'day'), Number(days)) : 'none',
    code: own,
  }),
  figures: [
    counted('number of files that are erased', ({ action }) => action === 'erase'),
    counted('number of files that are masked', ({ action }) => action === 'mask'),
    counted('number of files that are kept', ({ action }) => action === 'keep'),
  ],
  closed: 'handed over',
  closing:
    'file {id} has been handed over to us in person, so there is nothing left to do, unless you have done it already.',
});
