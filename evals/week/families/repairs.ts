/** Repairs and warranty. */
import { repairs as policy } from '../manual/policies/repairs.ts';
import { recordFamily } from '../record-family.ts';
import { cents, number, sum, text } from '../world.ts';

export const repairsFamily = recordFamily({
  name: 'repairs',
  policy,
  kind: 'repair',
  prefix: 'R',
  tool: 'ledger_warranty',
  daysAgo: [4, 60],
  dayOf: 'report',
  partyKind: 'customer',
  things: 'reports of broken goods',
  places: {
    age: { in: 'days', field: 'bought_on', sign: -1 },
    price: { in: 'entry', field: 'amount' },
    cause: {
      in: 'note',
      sentences: {
        wear: ['Used every day for a long time.', 'The workshop finds it simply worn out.'],
        fall: ['It fell off the table.', 'It was dropped on the stairs.'],
        material: ['The workshop finds a flaw in the material.', 'There is a bubble inside the metal.'],
        transport: ['It was shaken loose on the way to us.', 'The lorry must have braked hard.'],
      },
    },
    part: { in: 'entry', field: 'part' },
    segment: { in: 'party', field: 'segment' },
    years: { in: 'years', field: 'since' },
    desk: { in: 'entry', field: 'desk' },
  },
  requests: [
    'Decide on {which} by the manual.',
    'Please settle {which}: what is done, what it costs the owner, and the code, by the manual.',
  ],
  entry: () => ({}),
  fieldsOf(entry, outcome) {
    if (text(entry, 'status') === 'with insurer') return null;
    return {
      action: String(outcome['action']),
      charge: cents((number(entry, 'amount') * Number(outcome['charge'])) / 100),
      code: String(outcome['code']),
    };
  },
  figures: [
    {
      name: 'number of goods that are replaced',
      of: (booked) => booked.filter((row) => row['action'] === 'replace').length,
    },
    { name: 'total of the charges in EUR', of: (booked) => sum(booked, 'charge') },
  ],
  change: {
    fields: { status: 'with insurer' },
    words:
      'our insurer has taken over the matter of {id}. Please do nothing more about it than you have done so far.',
  },
});
