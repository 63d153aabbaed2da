/** Repairs and warranty. */
import { codeField, money, oneOf } from '../tools/decisions.ts';
import { cents, number } from '../office.ts';
import { counted, recordArea, summed } from './area.ts';
import { choice, code, department, entry, measure, noted, question, segment, since, years } from './facts.ts';

const actions = ['repair', 'replace', 'return', 'credit'];

export const repairs = recordArea({
  name: 'repairs',
  topic: 'repairs',
  owner: 'Head of Service',
  titles: ['Broken goods', 'Repairs and warranty', 'When things break', 'Mending and replacing'],
  kind: 'repair',
  prefix: 'R',
  party: 'customer',
  things: 'reports of broken goods',
  dayOf: 'report',
  facts: {
    age: measure(
      'the time from purchase to report',
      'days',
      since('bought_on'),
      [10, 1_800, 1, 5, 90, 180, 365, 545, 730, 1_095, 1_400],
    ),
    price: measure(
      'the price when new',
      'EUR',
      entry('amount'),
      [40, 1_800, 10, 20, 150, 250, 400, 600, 900, 1_200],
    ),
    cause: noted('the cause of the damage', {
      wear: ['Used every day for a long time.', 'The workshop finds it simply worn out.'],
      fall: ['It fell off the table.', 'It was dropped on the stairs.'],
      material: ['The workshop finds a flaw in the material.', 'There is a bubble inside the metal.'],
      transport: ['It was shaken loose on the way to us.', 'The lorry must have braked hard.'],
    }),
    part: choice('the broken part', entry('part'), ['frame', 'motor', 'surface', 'switch']),
    segment: segment(),
    years: years('the {customer}'),
    desk: department('the desk of the repair'),
  },
  terms: [
    { names: ['fault', 'break', 'defect'], attributes: ['cause', 'part', 'age'] },
    { names: ['customer', 'owner', 'holder'], attributes: ['segment', 'years', 'desk'] },
  ],
  questions: {
    action: question('the action on broken goods', actions),
    charge: question(
      'the share of the price when new that the {customer} pays',
      [0, 10, 15, 20, 25, 30, 40, 50],
      undefined,
      '%',
    ),
    code: code('the repair', 'W', 5, 'cause part segment desk'),
  },
  readings: ['The charge is entered in EUR.'],
  request: 'Please settle {which}: what is done, what it costs the owner, and the code, by the manual.',
  tool: {
    name: 'ledger_warranty',
    description: 'Records what is done about repairs.',
    fields: { action: oneOf(actions), charge: money('What the customer has to pay.'), code: codeField() },
  },
  decide: (repair, { action, charge, code: own }) => ({
    action,
    charge: cents((number(repair, 'amount') * Number(charge)) / 100),
    code: own,
  }),
  figures: [
    counted('number of goods that are replaced', ({ action }) => action === 'replace'),
    summed('total of the charges in EUR', 'charge'),
  ],
  closed: 'with insurer',
  closing:
    'our insurer has taken over the matter of {id}. Please do nothing more about it than you have done so far.',
});
