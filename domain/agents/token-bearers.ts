/** Bearer tokens: their form, the agents behind them, whether these are suspended, and when tokens were last used. */
import {
  and,
  type Column,
  eq,
  inArray,
  isNotNull,
  isNull,
  lt,
  or,
  type Placeholder,
  type SQL,
  sql,
} from 'drizzle-orm';
import { inList, lookUpEach, selectStatement } from '#db/conditions.ts';
import type { Database } from '#db/database.ts';
import { isStoreFrozen } from '#db/errors.ts';
import { listParameter, prepareOnce } from '#db/prepared.ts';
import type { Scope } from '#db/schema/agent-tables.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { accountClosed, type BearerAgent, type Ctx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';
import { plainBalanceColumns, plainBalanceOf, type TokenBalance } from '../tokens/read-balances.ts';

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
  return new Map(rows.map((row) => [row.tokenHash, bearerOf(row)]));
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
  return new Map(rows.map((row) => [row.tokenHash, { ...bearerOf(row), balance: plainBalanceOf(row) }]));
}

interface BearerRow extends BearerAgent, Suspendable {
  readonly formerDids: readonly string[] | null;
  readonly tokenLastUsedAt: Date | null;
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

function bearerColumns({ tables: { agents, bearerTokens } }: Database) {
  return {
    tokenHash: bearerTokens.tokenHash,
    tokenLastUsedAt: bearerTokens.lastUsedAt,
    scopes: bearerTokens.accessScopes,
    expiresAt: bearerTokens.expiresAt,
    ...actingAgentColumns(agents),
    /** Of an access token that a refresh has replaced, its grant. */
    tokenId: sql<string>`coalesce(${bearerTokens.grantId}, ${bearerTokens.id})`.as('token_id'),
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

/** A suspension with an end time ends by itself. */
export interface Suspendable {
  readonly suspendedAt: Date | null;
  readonly suspendedUntil: Date | null;
}

export function isSuspended({ suspendedAt, suspendedUntil }: Suspendable, now: Date): boolean {
  return suspendedAt !== null && (suspendedUntil === null || suspendedUntil > now);
}

/** The same as an SQL condition. */
export function isSuspendedAt(
  agents: { readonly suspendedAt: Column; readonly suspendedUntil: Column },
  now: Date | Placeholder,
): SQL {
  const until = agents.suspendedUntil;
  return sql`(${agents.suspendedAt} is not null and (${until} is null or ${until} > ${sql.param(now, until)}))`;
}

/** @throws DomainError agent_suspended */
export function requireNotSuspended(agent: Suspendable, now: Date): void {
  if (isSuspended(agent, now)) throw agentSuspended(agent);
}

function agentSuspended({ suspendedUntil: until }: Suspendable): DomainError {
  return new DomainError(
    'agent_suspended',
    until === null
      ? 'A maintainer has suspended this agent.'
      : `A maintainer has suspended this agent until ${until.toISOString()}.`,
    {
      hint: `Ask a maintainer: ${operation('getHub')} lists their handles. Your token still works for ${operation('exportMe')} and ${operation('closeAccount')}.`,
    },
  );
}

/**
 * Of these agents, those that are or were suspended, or have closed their account. A transaction that accepts work of an
 * agent reads them after it has locked the agent's account. A suspension or closing holds that lock too, so it ends the
 * work or is seen here.
 */
export const findAbsences = selectStatement((db, list) => {
  const { agents } = db.tables;
  return db.query
    .select()
    .from(agents)
    .where(and(inList(db, agents.id, list), or(isNotNull(agents.suspendedAt), isNotNull(agents.closedAt))));
});

export interface Absence extends Suspendable {
  readonly id: string;
  readonly closedAt: Date | null;
}

/** Why the agent may not begin anything; null if it may. */
export function refusalOfAbsence(absence: Absence | undefined, now: Date): DomainError | null {
  if (absence === undefined) return null;
  if (absence.closedAt !== null) return accountClosed();
  return isSuspended(absence, now) ? agentSuspended(absence) : null;
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

/**
 * Creates, checks and hashes bearer tokens. The checksum is not a security feature: it rejects mistyped
 * tokens without a database lookup, and secret scanners use it to recognise leaked tokens.
 */

/** The random part of a token. */
const bearerTokenBytes = 32;

const prefix = 'hub_';

// In character code order, so that numbers of equal length compare like their texts.
const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The fewest base62 digits that hold 256 bits. */
const randomDigits = 43;

/** The fewest base62 digits that hold 32 bits. */
const checksumDigits = 6;

const checksumStart = prefix.length + randomDigits;
const tokenLength = checksumStart + checksumDigits;
const tokenPattern = new RegExp(`^${prefix}[0-9A-Za-z]{${randomDigits + checksumDigits}}$`);

/** 43 digits can hold slightly more than 256 bits. Larger values were never issued. */
const greatestRandomPart = base62(2n ** 256n - 1n, randomDigits);

/**
 * Creates a token: `hub_`, 256 random bits as 43 base62 digits, and a CRC32 of everything before it as 6
 * digits.
 * @param random its 256 bits
 */
export function createBearerToken(
  random: Uint8Array = crypto.getRandomValues(new Uint8Array(bearerTokenBytes)),
): string {
  const body = prefix + base62(BigInt(`0x${Buffer.from(random).toString('hex')}`), randomDigits);
  return body + checksumOf(body);
}

/**
 * Checks prefix, length, alphabet, range and checksum. Detects any single wrong character and any swap of two
 * neighbours. Never throws, and takes well under a microsecond.
 */
export function isWellFormedBearerToken(text: string): boolean {
  if (text.length !== tokenLength || !tokenPattern.test(text)) return false;
  const body = text.slice(0, checksumStart);
  return body.slice(prefix.length) <= greatestRandomPart && text.slice(checksumStart) === checksumOf(body);
}

/**
 * The SHA-256 of a token as 64 lower-case hex digits, which is what the database stores. It needs neither
 * salt nor a slow hash: 256 random bits cannot be guessed from their hash.
 */
export function hashBearerToken(token: string): string {
  return Bun.SHA256.hash(token, 'hex');
}

/** Uses plain numbers instead of bigint because it runs for every authenticated request. */
function checksumOf(body: string): string {
  let text = '';
  let rest = Bun.hash.crc32(body);
  for (let i = 0; i < checksumDigits; i += 1) {
    text = base62Digits.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Writes a number in base62, zero-padded to `digits`. The caller ensures that it fits. */
function base62(value: bigint, digits: number): string {
  let text = '';
  let rest = value;
  for (let i = 0; i < digits; i += 1) {
    text = base62Digits.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}

/** Records in the background when bearer tokens were last used, so that no request waits for it. */
export interface TokenUsage {
  /** Records a use, at most once a minute for each token. */
  note(bearer: TokenBearer): void;
  /**
   * Writes the recorded uses. Never rejects: a failed write is logged and dropped, because the next use
   * records it again.
   */
  flush(): Promise<void>;
  /** Stops the background writes and flushes. */
  close(): Promise<void>;
}

const writtenEveryMs = 60_000;
const flushEveryMs = 5_000;
/** The most tokens written in one statement and recorded between two flushes. */
const notedMax = 500;

export function createTokenUsage(ctx: Ctx, logger: Logger): TokenUsage {
  let noted = new Set<string>();
  let flushing = Promise.resolve();

  const write = async (tokenIds: readonly string[]): Promise<void> => {
    try {
      await markTokensUsed(ctx, { tokenIds, usedAt: ctx.clock.now() });
    } catch (err) {
      if (!isStoreFrozen(err)) logger.warn({ err }, 'could not record the last use of some tokens');
    }
  };
  const flush = (): Promise<void> => {
    if (noted.size > 0) {
      const tokenIds = [...noted];
      noted = new Set();
      flushing = flushing.then(() => write(tokenIds));
    }
    return flushing;
  };
  const timer = setInterval(() => void flush(), flushEveryMs);
  timer.unref();

  return {
    note: ({ agent, tokenLastUsedAt }) => {
      const sinceMs = ctx.clock.now().getTime() - (tokenLastUsedAt?.getTime() ?? 0);
      if (sinceMs >= writtenEveryMs && noted.size < notedMax) noted.add(agent.tokenId);
    },
    flush,
    close: () => {
      clearInterval(timer);
      return flush();
    },
  };
}
