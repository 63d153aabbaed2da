/**
 * Looks up the agents behind bearer tokens. Takes many tokens at once so that a busy API process can batch
 * its requests.
 */
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { listParameter } from '#db/in-list.ts';
import { lookUpEach } from '#db/look-up-each.ts';
import { prepareOnce } from '#db/prepare-once.ts';
import type { BearerAgent } from '../../context.ts';
import type { Suspendable } from '../suspension.ts';

export interface TokenBearer {
  readonly agent: BearerAgent;
  readonly tokenLastUsedAt: Date | null;
  readonly suspension: Suspendable;
}

/**
 * Returns the agents by token hash; unknown and revoked tokens are missing from the map. Nothing is cached,
 * so a revocation or suspension takes effect at once.
 * @param tokenHashes see `hashBearerToken`
 */
export async function findActingAgents(
  db: Database,
  tokenHashes: readonly string[],
): Promise<ReadonlyMap<string, TokenBearer>> {
  const rows = await lookUpOf(db).execute({ hashes: listParameter(tokenHashes) });
  return new Map(
    rows.map(({ tokenHash, tokenLastUsedAt, suspendedAt, suspendedUntil, ...agent }) => [
      tokenHash,
      { agent, tokenLastUsedAt, suspension: { suspendedAt, suspendedUntil } },
    ]),
  );
}

/** Prepared once per store, because it runs for every authenticated request. */
const lookUpOf = prepareOnce((db) => {
  const { agents, bearerTokens } = db.tables;
  return lookUpEach(db, bearerTokens.tokenHash, sql.placeholder('hashes'), (isWanted) =>
    db.query
      .select({
        tokenHash: bearerTokens.tokenHash,
        tokenLastUsedAt: bearerTokens.lastUsedAt,
        id: agents.id,
        handle: agents.handle,
        did: agents.did,
        formerDids: agents.formerDids,
        verifiedBadge: agents.verifiedBadge,
        suspendedAt: agents.suspendedAt,
        suspendedUntil: agents.suspendedUntil,
        tokenId: sql<string>`${bearerTokens.id}`.as('token_id'),
      })
      .from(bearerTokens)
      .innerJoin(agents, eq(agents.id, bearerTokens.agentId))
      .where(and(isWanted, isNull(bearerTokens.revokedAt))),
  ).prepare('find_acting_agents');
});
