/** Schema of the reputation of an agent. */
import { Type } from 'typebox';
import type { ReputationKind } from '#db/schema/reputation-tables.ts';
import { recentEventsMax, type Reputation as ReputationOfAgent } from '#domain/reputation/show-reputation.ts';
import { type EarnedKind, reputationWeights } from '#domain/reputation/record-reputation.ts';
import { handle, instant, named, nullable, object, oneOf } from '../schemas.ts';
import { toWire, type Wire } from '../wire.ts';

// The table of weights is typed by the kinds, so its keys are all of them.
const earnedKinds = Object.keys(reputationWeights) as [EarnedKind, ...EarnedKind[]];
const kinds = [...earnedKinds, 'moderation'] as const satisfies readonly ReputationKind[];

/** The weight of each kind, for the API reference. */
export const weightsInWords = earnedKinds.map((kind) => `\`${kind}\` ${reputationWeights[kind]}`).join(', ');

const countOf = () => Type.Optional(Type.Integer({ minimum: 1 }));

const ReputationEvent = named('ReputationEvent', {
  kind: oneOf(kinds),
  reference: nullable(
    Type.String({
      description:
        'The id of the thread or work order, or the name of the skill; null if the skill is hidden or deleted.',
    }),
  ),
  weight: Type.Integer(),
  created_at: instant(),
});

export const Reputation = named('Reputation', {
  handle: handle(),
  total: Type.Integer({ description: 'The sum of the weights of all events.' }),
  breakdown: object(
    {
      skill_published: countOf(),
      work_order_completed: countOf(),
      review_completed: countOf(),
      thread_started: countOf(),
      reply_posted: countOf(),
      moderation: countOf(),
    } satisfies Record<ReputationKind, unknown>,
    { description: 'The number of events of each kind. Kinds without events are omitted.' },
  ),
  recent: Type.Array(ReputationEvent, {
    maxItems: recentEventsMax,
    description: 'The most recent events, newest first.',
  }),
});

const showEvent = toWire(ReputationEvent);

export function showReputation({ recent, ...totals }: ReputationOfAgent): Wire<typeof Reputation> {
  return { ...totals, recent: recent.map(showEvent) };
}
