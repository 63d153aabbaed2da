import { and, eq, inArray, isNull, lt, or, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { listParameter } from '#db/in-list.ts';
import { lookUpEach } from '#db/look-up-each.ts';
import { prepareOnce } from '#db/prepare-once.ts';
import type { Scope } from '#db/schema/agent-tables.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { type BearerAgent, type Ctx, withTransaction } from '../context.ts';
import { plainBalanceColumns, plainBalanceOf } from '../tokens/plain-balance.ts';
import type { TokenBalance } from '../tokens/read-balances.ts';
import type { Suspendable } from './suspension.ts';

export interface TokenBearer {
  readonly agent: BearerAgent;
  readonly tokenLastUsedAt: Date | null;
  readonly suspension: Suspendable;
  /** What an OAuth client may do, and until when; null for a token of the agent's own. */
  readonly grant: { readonly scopes: readonly Scope[]; readonly expiresAt: Date } | null;
}

/**
 * Looks up the agents behind bearer tokens. Takes many tokens per batch so that a busy API process can batch
 * its requests.
 * Returns the agents by token hash; unknown and revoked tokens are missing from the map. Nothing is cached,
 * so a revocation or suspension takes effect immediately.
 * @param tokenHashes see `hashBearerToken`
 */
export async function findActingAgents(
  db: Database,
  tokenHashes: readonly string[],
): Promise<ReadonlyMap<string, TokenBearer>> {
  const rows = await lookUpOf(db).execute({ hashes: listParameter(tokenHashes) });
  const found = new Map(rows.map((row) => [row.tokenHash, bearerOf(row)]));
  for (const [hash, bearer] of await findByReplaced(db, tokenHashes, found)) found.set(hash, bearer);
  return found;
}

interface BearerWithBalance extends TokenBearer {
  /** Null if it must be read on its own, because tokens of the agent expire. */
  readonly balance: TokenBalance | null;
}

/** {@link findActingAgents}, with balances from the same statement. */
export async function findActingAgentsWithBalances(
  db: Database,
  tokenHashes: readonly string[],
): Promise<ReadonlyMap<string, BearerWithBalance>> {
  const rows = await lookUpWithBalancesOf(db).execute({ hashes: listParameter(tokenHashes) });
  const found = new Map<string, BearerWithBalance>(
    rows.map((row) => [row.tokenHash, { ...bearerOf(row), balance: plainBalanceOf(row) }]),
  );
  for (const [hash, bearer] of await findByReplaced(db, tokenHashes, found))
    found.set(hash, { ...bearer, balance: null });
  return found;
}

/** The agents behind access tokens that a refresh has replaced, which are looked up only if they are not found. */
async function findByReplaced(
  db: Database,
  tokenHashes: readonly string[],
  found: ReadonlyMap<string, TokenBearer>,
): Promise<readonly (readonly [hash: string, bearer: TokenBearer])[]> {
  const missing = tokenHashes.filter((hash) => !found.has(hash));
  if (missing.length === 0) return [];
  const rows = await lookUpReplacedOf(db).execute({ hashes: listParameter(missing) });
  return rows.map((row) => [row.tokenHash, bearerOf(row)]);
}

interface BearerRow extends BearerAgent {
  readonly formerDids: readonly string[] | null;
  readonly tokenLastUsedAt: Date | null;
  readonly suspendedAt: Date | null;
  readonly suspendedUntil: Date | null;
  readonly scopes: readonly Scope[] | null;
  readonly expiresAt: Date | null;
}

function bearerOf(row: BearerRow): TokenBearer {
  const { id, handle, did, formerDids, verifiedBadge, network = null, tokenId } = row;
  const { tokenLastUsedAt, suspendedAt, suspendedUntil, scopes, expiresAt } = row;
  return {
    agent: { id, handle, did, formerDids, verifiedBadge, network, tokenId },
    tokenLastUsedAt,
    suspension: { suspendedAt, suspendedUntil },
    grant: scopes === null || expiresAt === null ? null : { scopes, expiresAt },
  };
}

/** Prepared once per store, because it runs for every authenticated request. */
const lookUpOf = prepareOnce((db) => {
  const { agents, bearerTokens } = db.tables;
  return lookUpEach(db, bearerTokens.tokenHash, sql.placeholder('hashes'), (isWanted) =>
    db.query
      .select(bearerColumns(db))
      .from(bearerTokens)
      .innerJoin(agents, eq(agents.id, bearerTokens.agentId))
      .where(and(isWanted, isNull(bearerTokens.revokedAt))),
  ).prepare('find_acting_agents');
});

const lookUpWithBalancesOf = prepareOnce((db) => {
  const { agents, bearerTokens, tokenAccounts } = db.tables;
  return lookUpEach(db, bearerTokens.tokenHash, sql.placeholder('hashes'), (isWanted) =>
    db.query
      .select({ ...bearerColumns(db), ...plainBalanceColumns(db) })
      .from(bearerTokens)
      .innerJoin(agents, eq(agents.id, bearerTokens.agentId))
      .innerJoin(tokenAccounts, eq(tokenAccounts.agentId, agents.id))
      .where(and(isWanted, isNull(bearerTokens.revokedAt))),
  ).prepare('find_acting_agents_with_balances');
});

const lookUpReplacedOf = prepareOnce((db) => {
  const { agents, bearerTokens, replacedTokens } = db.tables;
  const { tokenHash, scopes, expiresAt } = replacedTokens;
  return lookUpEach(db, tokenHash, sql.placeholder('hashes'), (isWanted) =>
    db.query
      .select({ ...bearerColumns(db), tokenHash, scopes, expiresAt })
      .from(replacedTokens)
      .innerJoin(bearerTokens, eq(bearerTokens.id, replacedTokens.bearerTokenId))
      .innerJoin(agents, eq(agents.id, bearerTokens.agentId))
      .where(and(isWanted, isNull(bearerTokens.revokedAt))),
  ).prepare('find_acting_agents_by_replaced_tokens');
});

function bearerColumns({ tables: { agents, bearerTokens } }: Database) {
  return {
    tokenHash: bearerTokens.tokenHash,
    tokenLastUsedAt: bearerTokens.lastUsedAt,
    scopes: bearerTokens.accessScopes,
    expiresAt: bearerTokens.expiresAt,
    ...actingAgentColumns(agents),
    tokenId: sql<string>`${bearerTokens.id}`.as('token_id'),
  };
}

/** The columns of an acting agent, and those that say whether it is suspended. */
export function actingAgentColumns(agents: Tables['agents']) {
  return {
    id: agents.id,
    handle: agents.handle,
    did: agents.did,
    formerDids: agents.formerDids,
    verifiedBadge: agents.verifiedBadge,
    network: agents.network,
    suspendedAt: agents.suspendedAt,
    suspendedUntil: agents.suspendedUntil,
  };
}

/**
 * Records when tokens were last used, so that their owners can see which are in use.
 * Sets `last_used_at` to `usedAt` unless a later use is already recorded.
 */
export async function markTokensUsed(
  ctx: Ctx,
  input: { readonly tokenIds: readonly string[]; readonly usedAt: Date },
): Promise<void> {
  if (input.tokenIds.length === 0) return;
  await withTransaction(ctx, async ({ db }) => {
    const { bearerTokens } = db.tables;
    await db.query
      .update(bearerTokens)
      .set({ lastUsedAt: input.usedAt })
      .where(
        and(
          inArray(bearerTokens.id, [...input.tokenIds]),
          or(isNull(bearerTokens.lastUsedAt), lt(bearerTokens.lastUsedAt, input.usedAt)),
        ),
      );
  });
}
