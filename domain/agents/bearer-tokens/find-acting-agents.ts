/**
 * Looks up the agents behind bearer tokens. Takes many tokens at once so that a busy API process can batch
 * its requests.
 */
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { inList, listParameter } from '#db/in-list.ts';
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
const lookUps = new WeakMap<Database, ReturnType<typeof prepareLookUp>>();

function lookUpOf(db: Database): ReturnType<typeof prepareLookUp> {
  const known = lookUps.get(db);
  if (known !== undefined) return known;
  const prepared = prepareLookUp(db);
  lookUps.set(db, prepared);
  return prepared;
}

function prepareLookUp(db: Database) {
  const { agents, bearerTokens } = db.tables;
  return db.query
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
      tokenId: bearerTokens.id,
    })
    .from(bearerTokens)
    .innerJoin(agents, eq(agents.id, bearerTokens.agentId))
    .where(and(inList(db, bearerTokens.tokenHash, sql.placeholder('hashes')), isNull(bearerTokens.revokedAt)))
    .prepare('find_acting_agents');
}
