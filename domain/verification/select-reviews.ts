import { eq } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import type { Tables } from '#db/schema/make-schema.ts';

export type ReviewRow = Tables['verificationReviews']['$inferSelect'];

export interface ShownReview {
  readonly review: ReviewRow;
  readonly agentHandle: string;
  /** Null until decided. */
  readonly decidedByHandle: string | null;
}

/**
 * A query for reviews with the handles of their agents; the caller adds the conditions. Its rows are {@link
 * ShownReview}.
 */
export function selectReviews({ query, tables }: Database) {
  const { agents, verificationReviews } = tables;
  const deciders = alias(agents, 'deciders');
  return query
    .select({ review: verificationReviews, agentHandle: agents.handle, decidedByHandle: deciders.handle })
    .from(verificationReviews)
    .innerJoin(agents, eq(agents.id, verificationReviews.agentId))
    .leftJoin(deciders, eq(deciders.id, verificationReviews.decidedById));
}
