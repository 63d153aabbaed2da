/** Changes of bank account of suppliers, with the procedure that guards them. */
import { codeField, oneOf, whole } from '../tools/decisions.ts';
import { counted, recordArea, summed } from './area.ts';
import { choice, code, department, entry, measure, noted, party, question, since, years } from './facts.ts';

const confirmed = {
  yes: 'Yes, that is from us.',
  no: 'Sorry, I cannot confirm that. The colleague who would know is on leave.',
};

export const accounts = recordArea({
  name: 'accounts',
  topic: 'accounts',
  owner: 'Head of Finance',
  titles: ['Bank accounts of suppliers', 'Paying to another account', 'When a supplier changes banks'],
  kind: 'account change',
  prefix: 'H',
  party: 'supplier',
  things: 'requests to pay to another account',
  dayOf: 'request',
  facts: {
    channel: choice('the channel of the request', entry('channel'), [
      'letter',
      'mail',
      'portal',
      'telephone',
    ]),
    country: noted('the country of the new account', {
      same: ['The bank is round the corner from the old one.', 'A bank in the same country.'],
      other: ['The bank is abroad, seen from them.', 'The new bank is in another country.'],
    }),
    volume: measure(
      'the yearly volume',
      'EUR',
      party('yearly_volume'),
      [400, 30_000, 100, 200, 2_000, 4_000, 8_000, 12_000, 20_000],
    ),
    years: years('the supplier'),
    confirmed: choice('the confirmation by the supplier', { in: 'reply', replies: confirmed }, ['yes', 'no']),
    last: measure(
      'the time since the last change',
      'days',
      since('last_change_on'),
      [5, 900, 1, 3, 30, 60, 90, 180, 270, 365, 540],
    ),
    desk: department('the desk of the supplier'),
  },
  terms: [
    { names: ['supplier', 'firm', 'vendor'], attributes: ['years', 'volume', 'desk'] },
    { names: ['request', 'change', 'wish'], attributes: ['channel', 'last', 'country'] },
  ],
  questions: {
    action: question('the action on a change of account', ['apply', 'refuse']),
    hold: question(
      'the time for which payments are held back',
      [0, 3, 5, 7, 10, 14, 21, 30],
      'country volume channel last desk',
      'days',
    ),
    code: code('the change', 'K', 6, 'channel country confirmed years desk'),
  },
  readings: [
    'Every supplier is asked whether the request is theirs, at the address in the directory and about the number of the entry.',
  ],
  request: 'Please deal with {which} in the way that the manual lays down.',
  tool: {
    name: 'ledger_account',
    description: 'Decides requests to pay to another bank account.',
    fields: {
      action: oneOf(['apply', 'refuse']),
      hold_days: whole(400, 'For how many days payments are held back, also when the request is refused.'),
      code: codeField(),
    },
  },
  decide: (_, { action, hold, code: own }) => ({ action, hold_days: hold, code: own }),
  figures: [
    counted('number of requests that are applied', ({ action }) => action === 'apply'),
    counted('number of requests that are refused', ({ action }) => action === 'refuse'),
    summed('sum of the days of holding back', 'hold_days'),
  ],
  closed: 'void',
  closing: 'our request {id} is void, we stay with our bank. If you have decided on it, that is fine too.',
});
