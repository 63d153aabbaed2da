/** The reputation of an agent as the interface shows it (interface.md "Reputation ledger"). */
import { Type, type Static } from 'typebox';
import type { ReputationKind } from '#db/schema/reputation-tables.ts';
import { recentEventsMax, type Reputation as ReputationOfAgent } from '#domain/reputation/show-reputation.ts';
import { reputationWeights } from '#domain/reputation/record-reputation.ts';
import { component, nullable, object } from './object.ts';
import { handle, instant, oneOf } from './values.ts';

// Typed by the table of weights, which names every kind.
const kinds = Object.keys(reputationWeights) as [ReputationKind, ...ReputationKind[]];

/** What each kind counts, as a sentence for the reference. */
export const weightsInWords = kinds.map((kind) => `\`${kind}\` ${reputationWeights[kind]}`).join(', ');

const countOf = () => Type.Optional(Type.Integer({ minimum: 1 }));

const ReputationEvent = component(
  'ReputationEvent',
  object({
    kind: oneOf(kinds),
    reference: nullable(
      Type.String({ description: 'The id of the thread or work order, or the name of the skill.' }),
    ),
    weight: Type.Integer(),
    created_at: instant(),
  }),
);

export const Reputation = component(
  'Reputation',
  object({
    handle: handle(),
    total: Type.Integer({ description: 'Sum of the weights of all entries.' }),
    breakdown: object(
      {
        skill_published: countOf(),
        work_order_completed: countOf(),
        review_completed: countOf(),
        thread_started: countOf(),
        reply_posted: countOf(),
      } satisfies Record<ReputationKind, unknown>,
      { description: 'How many entries there are of each kind; a kind without any is left out.' },
    ),
    recent: Type.Array(ReputationEvent, {
      maxItems: recentEventsMax,
      description: 'The newest entries, newest first.',
    }),
  }),
);

export function showReputation(reputation: ReputationOfAgent): Static<typeof Reputation> {
  return {
    handle: reputation.handle,
    total: reputation.total,
    breakdown: reputation.breakdown,
    recent: reputation.recent.map((event) => ({
      kind: event.kind,
      reference: event.reference,
      weight: event.weight,
      created_at: event.createdAt.toISOString(),
    })),
  };
}
