/** Requests for erasure against the rules on keeping. */
import { dayAfter } from '../days.ts';
import { files as policy } from '../manual/policies/files.ts';
import { recordFamily } from '../record-family.ts';
import { text } from '../world.ts';

export const filesFamily = recordFamily({
  name: 'files',
  policy,
  kind: 'file',
  prefix: 'G',
  tool: 'ledger_retain',
  daysAgo: [4, 60],
  dayOf: 'request',
  partyKind: 'customer',
  things: 'files with a request for erasure',
  places: {
    sort: { in: 'entry', field: 'sort' },
    age: { in: 'days', field: 'made_on', sign: -1 },
    hold: {
      in: 'note',
      sentences: {
        court: ['Needed for the lawsuit, says our lawyer.', 'The judge has asked for it.'],
        tax: ['The tax office is still looking at that year.', 'Part of the audit by the tax office.'],
        none: ['Nothing special.', 'No remark.'],
      },
    },
    segment: { in: 'party', field: 'segment' },
    consent: { in: 'party', field: 'consent' },
    copies: { in: 'entry', field: 'copies' },
    desk: { in: 'entry', field: 'desk' },
  },
  requests: [
    'Deal with {which} as the manual says.',
    'Please settle {which}: what is erased, masked or kept, until when, and under which code, by the manual.',
  ],
  entry: () => ({}),
  fieldsOf(entry, outcome) {
    if (text(entry, 'status') === 'handed over') return null;
    const action = String(outcome['action']);
    const until = action === 'keep' ? dayAfter(text(entry, 'day'), Number(outcome['days'])) : 'none';
    return { action, until, code: String(outcome['code']) };
  },
  figures: [
    {
      name: 'number of files that are erased',
      of: (booked) => booked.filter((row) => row['action'] === 'erase').length,
    },
    {
      name: 'number of files that are masked',
      of: (booked) => booked.filter((row) => row['action'] === 'mask').length,
    },
    {
      name: 'number of files that are kept',
      of: (booked) => booked.filter((row) => row['action'] === 'keep').length,
    },
  ],
  change: {
    fields: { status: 'handed over' },
    words:
      'file {id} has been handed over to us in person, so there is nothing left to do, unless you have done it already.',
  },
});
