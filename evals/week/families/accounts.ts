/** Changes of bank account of suppliers, with the procedure that guards them. */
import { accounts as policy } from '../manual/policies/accounts.ts';
import { recordFamily } from '../record-family.ts';
import { sum, text } from '../world.ts';

export const accountsFamily = recordFamily({
  name: 'accounts',
  policy,
  kind: 'account change',
  prefix: 'H',
  tool: 'ledger_account',
  daysAgo: [4, 60],
  dayOf: 'request',
  partyKind: 'supplier',
  things: 'requests to pay to another account',
  places: {
    channel: { in: 'entry', field: 'channel' },
    country: {
      in: 'note',
      sentences: {
        same: ['The bank is round the corner from the old one.', 'A bank in the same country.'],
        other: ['The bank is abroad, seen from them.', 'The new bank is in another country.'],
      },
    },
    volume: { in: 'party', field: 'yearly_volume' },
    years: { in: 'years', field: 'since' },
    confirmed: {
      in: 'reply',
      replies: {
        yes: 'Yes, that is from us.',
        no: 'Sorry, I cannot confirm that. The colleague who would know is on leave.',
      },
    },
    last: { in: 'days', field: 'last_change_on', sign: -1 },
    desk: { in: 'entry', field: 'desk' },
  },
  requests: [
    'Decide on {which} by the manual.',
    'Please deal with {which} in the way that the manual lays down.',
  ],
  entry: () => ({}),
  fieldsOf(entry, outcome) {
    if (text(entry, 'status') === 'void') return null;
    return {
      action: String(outcome['action']),
      hold_days: Number(outcome['hold']),
      code: String(outcome['code']),
    };
  },
  figures: [
    {
      name: 'number of requests that are applied',
      of: (booked) => booked.filter((row) => row['action'] === 'apply').length,
    },
    {
      name: 'number of requests that are refused',
      of: (booked) => booked.filter((row) => row['action'] === 'refuse').length,
    },
    { name: 'sum of the days of holding back', of: (booked) => sum(booked, 'hold_days') },
  ],
  change: {
    fields: { status: 'void' },
    words: 'our request {id} is void, we stay with our bank. If you have decided on it, that is fine too.',
  },
});
