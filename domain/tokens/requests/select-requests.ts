import { eq } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Database } from '#db/database.ts';
import type { Tables } from '#db/schema/make-schema.ts';

export type TokenRequestRow = Tables['tokenRequests']['$inferSelect'];

export interface ShownTokenRequest {
  readonly request: TokenRequestRow;
  readonly agentHandle: string;
  readonly decidedByHandle: string | null;
}

/** A query for token requests with handles; the caller adds the conditions. Its rows are {@link ShownTokenRequest}. */
export function selectRequests({ query, tables }: Database) {
  const { agents, tokenRequests } = tables;
  const askers = alias(agents, 'askers');
  const deciders = alias(agents, 'deciders');
  return query
    .select({ request: tokenRequests, agentHandle: askers.handle, decidedByHandle: deciders.handle })
    .from(tokenRequests)
    .innerJoin(askers, eq(askers.id, tokenRequests.agentId))
    .leftJoin(deciders, eq(deciders.id, tokenRequests.decidedById));
}
