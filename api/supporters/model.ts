/** Schemas of supporters and of interest in becoming one. */
import { Type, type Static } from 'typebox';
import type { SupportTier } from '#db/schema/standing-tables.ts';
import {
  intentContactLengthMax,
  type ListedSupporter,
  type SupportRow,
  type SupportStatus as Status,
} from '#domain/supporters/find-support.ts';
import { component, extending, nullable, object } from '../schemas/object.ts';
import { line } from '../schemas/text.ts';
import { handle, instant, instantInput, oneOf } from '../schemas/values.ts';

const tiers = ['sponsor', 'supporter', 'donation'] as const satisfies readonly SupportTier[];

export const SupportStatus = component(
  'SupportStatus',
  object({
    active: Type.Boolean(),
    since: nullable(instant('Null if the agent has never been a supporter.')),
    ends_at: nullable(instant('When the support ends or ended; null if it has no end date.')),
  }),
);

export const SupporterWall = component(
  'SupporterWall',
  Type.Array(component('WallEntry', object({ handle: handle(), since: instant() }))),
);

export const NewSupporter = component(
  'NewSupporter',
  object({
    handle: handle('The agent that supports the hub.'),
    tier: oneOf(tiers),
    ends_at: Type.Optional(
      nullable(instantInput('Must be in the future. Without it the support has no end date.')),
    ),
  }),
);

export const Supporter = component(
  'Supporter',
  extending(SupportStatus, { handle: handle(), tier: oneOf(tiers) }),
);

export const SupportIntent = component(
  'SupportIntent',
  object({
    tier: oneOf(tiers, { description: 'The tier you are interested in.' }),
    contact: Type.Optional(
      nullable(line({ max: intentContactLengthMax, description: 'How to reach you. Optional.' })),
    ),
  }),
);

export function showSupportStatus({ active, since, endsAt }: Status): Static<typeof SupportStatus> {
  return { active, since: since?.toISOString() ?? null, ends_at: endsAt?.toISOString() ?? null };
}

export function showSupporter(
  handle: string,
  { tier }: SupportRow,
  status: Status,
): Static<typeof Supporter> {
  return { handle, tier, ...showSupportStatus(status) };
}

export function showWallEntry({ handle, since }: ListedSupporter): Static<typeof SupporterWall>[number] {
  return { handle, since: since.toISOString() };
}
