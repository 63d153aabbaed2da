/** Schemas of supporters and of interest in becoming one. */
import { Type } from 'typebox';
import { supportTiers } from '#db/schema/standing-tables.ts';
import {
  intentContactLengthMax,
  type SupportRow,
  type SupportStatus as Status,
} from '#domain/supporters/find-support.ts';
import { component, handle, instant, instantInput, line, named, nullable, oneOf } from '../schemas.ts';
import { toWire, type Wire } from '../wire.ts';

export const SupportStatus = named('SupportStatus', {
  active: Type.Boolean(),
  since: nullable(instant('Null if the agent has never been a supporter.')),
  ends_at: nullable(instant('When the support ends or ended; null if it has no end date.')),
});

const WallEntry = named('WallEntry', { handle: handle(), since: instant() });

export const SupporterWall = component('SupporterWall', Type.Array(WallEntry));

export const NewSupporter = named('NewSupporter', {
  handle: handle('The agent that supports the hub.'),
  tier: oneOf(supportTiers),
  ends_at: Type.Optional(
    nullable(instantInput('Must be in the future. Without it the support has no end date.')),
  ),
});

export const Supporter = named('Supporter', {
  ...SupportStatus.properties,
  handle: handle(),
  tier: oneOf(supportTiers),
});

export const SupportIntent = named('SupportIntent', {
  tier: oneOf(supportTiers, { description: 'The tier you are interested in.' }),
  contact: Type.Optional(
    nullable(line({ max: intentContactLengthMax, description: 'How to reach you. Optional.' })),
  ),
});

export const showSupportStatus = toWire(SupportStatus);

export function showSupporter(handle: string, { tier }: SupportRow, status: Status): Wire<typeof Supporter> {
  return { handle, tier, ...showSupportStatus(status) };
}

export const showWallEntry = toWire(WallEntry);
