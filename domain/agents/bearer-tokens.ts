/** Bearer tokens: issuing, listing, revoking, and the check that one is still valid. */
import { and, desc, eq, gt, inArray, isNotNull, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Tables } from '#db/schema/make-schema.ts';
import { createId } from '#runtime/create-id.ts';
import { type AgentCtx, type BearerCtx, type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { newestFirst, type Page, type PageInput } from '../paging.ts';
import { keepRevokedTokensMs, liveTokensMax } from './agent-limits.ts';
import { holdAgent } from './find-agent.ts';
import {
  createBearerToken,
  hashBearerToken,
  requireNotSuspended,
  type Suspendable,
} from './token-bearers.ts';
import { operation } from '../operation.ts';

/** What the token of an OAuth client is limited to, and how the client renews it. */
export type GrantColumns = {
  readonly [
    K in
      | 'clientId'
      | 'clientName'
      | 'scopes'
      | 'accessScopes'
      | 'tokenHash'
      | 'expiresAt'
      | 'familyHash'
      | 'refreshHash'
      | 'refreshExpiresAt'
      | 'presentedHash'
      | 'tokenSalt'
      | 'issuedAt'
  ]: NonNullable<BearerTokenRow[K]>;
};

/**
 * Issues a bearer token in the transaction that verified the agent's key.
 * Existing tokens stay valid. If the new one exceeds `liveTokensMax`, the least recently used token is
 * revoked.
 * @returns the token in clear; the hub stores only its hash
 */
export async function issueBearerToken(ctx: TransactionCtx, agentId: string): Promise<string> {
  const token = createBearerToken();
  await storeToken(ctx, agentId, { tokenHash: hashBearerToken(token) });
  return token;
}

/**
 * Stores a token of the agent, or the grant of an OAuth client.
 * @returns its id
 */
export async function storeToken(
  ctx: TransactionCtx,
  agentId: string,
  columns: GrantColumns | Pick<GrantColumns, 'tokenHash'>,
): Promise<string> {
  const { bearerTokens } = ctx.db.tables;
  // Without the lock, two concurrent logins would each miss the other's token when counting.
  await holdAgent(ctx, agentId);
  await makeRoom(ctx, agentId);
  const now = ctx.clock.now();
  const id = createId(now);
  await ctx.db.query.insert(bearerTokens).values({
    id,
    agentId,
    createdAt: now,
    lastUsedAt: null,
    revokedAt: null,
    ...columns,
  });
  return id;
}

/**
 * Also deletes tokens revoked long ago, so that an agent that logs in every day keeps a bounded number of
 * rows.
 */
async function makeRoom(ctx: TransactionCtx, agentId: string): Promise<void> {
  const { bearerTokens } = ctx.db.tables;
  const now = ctx.clock.now();
  const surplus = await ctx.db.query
    .select({ id: bearerTokens.id })
    .from(bearerTokens)
    .where(
      and(eq(bearerTokens.agentId, agentId), isNull(bearerTokens.grantId), isNull(bearerTokens.revokedAt)),
    )
    .orderBy(
      desc(sql`coalesce(${bearerTokens.lastUsedAt}, ${bearerTokens.createdAt})`),
      desc(bearerTokens.id),
    )
    .limit(liveTokensMax)
    .offset(liveTokensMax - 1);
  if (surplus.length > 0) {
    const ids = surplus.map(({ id }) => id);
    await ctx.db.query
      .update(bearerTokens)
      .set({ revokedAt: now })
      .where(isTokenOrReplaced(bearerTokens, ids));
    signalLostAccess(ctx, agentId);
  }
  await ctx.db.query
    .delete(bearerTokens)
    .where(
      and(
        eq(bearerTokens.agentId, agentId),
        lt(bearerTokens.revokedAt, new Date(now.getTime() - keepRevokedTokensMs)),
      ),
    );
}

export type BearerTokenRow = Tables['bearerTokens']['$inferSelect'];

/** For revocations: a token ends together with the access tokens that it has replaced. */
export function isTokenOrReplaced(
  { id, grantId }: Pick<Tables['bearerTokens'], 'id' | 'grantId'>,
  tokens: readonly string[],
): SQL | undefined {
  return or(inArray(id, tokens), inArray(grantId, tokens));
}

/** A grant whose refresh token has expired has ended too. */
function isLive({ db, clock, agent }: AgentCtx) {
  const { bearerTokens } = db.tables;
  return and(
    eq(bearerTokens.agentId, agent.id),
    isNull(bearerTokens.grantId),
    isNull(bearerTokens.revokedAt),
    or(isNull(bearerTokens.refreshExpiresAt), gt(bearerTokens.refreshExpiresAt, clock.now())),
  );
}

/** Lists the OAuth clients that act for the agent, newest first. Their number is bounded. */
export async function listConnectedClients(ctx: AgentCtx): Promise<readonly BearerTokenRow[]> {
  const { bearerTokens } = ctx.db.tables;
  return ctx.db.query
    .select()
    .from(bearerTokens)
    .where(and(isLive(ctx), isNotNull(bearerTokens.clientId)))
    .orderBy(desc(bearerTokens.id))
    .limit(liveTokensMax);
}

/**
 * Lists the acting agent's valid tokens, newest first.
 * @throws DomainError invalid_parameter for a bad cursor
 */
export function listBearerTokens(ctx: AgentCtx, input: PageInput): Promise<Page<BearerTokenRow>> {
  const { query, tables } = ctx.db;
  const { bearerTokens } = tables;
  return newestFirst('bearer-tokens', input, bearerTokens.id, (isOnPage) =>
    query
      .select()
      .from(bearerTokens)
      .where(and(isLive(ctx), isOnPage)),
  );
}

/**
 * An agent revokes one of its own bearer tokens, which may be the one it is using.
 * @throws DomainError not_found if the token is unknown, already revoked or belongs to another agent
 */
export async function revokeBearerToken(ctx: AgentCtx, input: { readonly tokenId: string }): Promise<void> {
  await withTransaction(ctx, async (inner) => {
    const { db, clock } = inner;
    const { bearerTokens } = db.tables;
    const revoked = await db.query
      .update(bearerTokens)
      .set({ revokedAt: clock.now() })
      .where(
        and(
          isTokenOrReplaced(bearerTokens, [input.tokenId]),
          eq(bearerTokens.agentId, ctx.agent.id),
          isNull(bearerTokens.revokedAt),
        ),
      )
      .returning({ id: bearerTokens.id });
    if (revoked.length > 0) return signalLostAccess(inner, ctx.agent.id);
    throw new DomainError('not_found', 'You have no valid bearer token with this id.', {
      hint: `${operation('listBearerTokens')} lists the ids of your valid tokens.`,
    });
  });
}

interface ValidTokenOptions {
  /** Whether suspended agents are let through. */
  readonly openToSuspended?: boolean;
}

/**
 * Rechecks a token during its request: after a slow body, and between the waits of a long poll or stream. On the site,
 * rechecks the session.
 * @throws DomainError invalid_token once the acting agent's token has been revoked, or agent_suspended
 */
export async function requireValidToken(
  ctx: BearerCtx,
  { openToSuspended = false }: ValidTokenOptions = {},
): Promise<void> {
  const { agent, clock } = ctx;
  const found =
    'sessionId' in agent ? await findOfSession(ctx, agent.sessionId) : await findOfToken(ctx, agent.tokenId);
  if (found === undefined) throw invalidToken();
  if (!openToSuspended) requireNotSuspended(found, clock.now());
}

async function findOfToken({ db, clock }: Ctx, tokenId: string): Promise<Suspendable | undefined> {
  const { agents, bearerTokens } = db.tables;
  const [found] = await db.query
    .select({ suspendedAt: agents.suspendedAt, suspendedUntil: agents.suspendedUntil })
    .from(bearerTokens)
    .innerJoin(agents, eq(agents.id, bearerTokens.agentId))
    .where(
      and(
        eq(bearerTokens.id, tokenId),
        isNull(bearerTokens.revokedAt),
        or(isNull(bearerTokens.expiresAt), gt(bearerTokens.expiresAt, clock.now())),
      ),
    );
  return found;
}

async function findOfSession({ db, clock }: Ctx, sessionId: string): Promise<Suspendable | undefined> {
  const { agents, bearerTokens, sessions } = db.tables;
  const [found] = await db.query
    .select({ suspendedAt: agents.suspendedAt, suspendedUntil: agents.suspendedUntil })
    .from(sessions)
    .innerJoin(agents, eq(agents.id, sessions.agentId))
    .leftJoin(bearerTokens, eq(bearerTokens.id, sessions.bearerTokenId))
    .where(
      and(eq(sessions.id, sessionId), gt(sessions.expiresAt, clock.now()), isNull(bearerTokens.revokedAt)),
    );
  return found;
}

/** The same for every kind of invalid token, so that nobody learns which tokens once existed. */
export function invalidToken(): DomainError {
  return new DomainError('invalid_token', 'The bearer token is invalid.', {
    hint: `Get a new one with ${operation('logIn')} and ${operation('verify')}.`,
  });
}

/**
 * Signals an agent's waiting requests, in all processes, that they may have lost their token.
 * Signalled when a token of the agent is revoked, or the agent is suspended.
 */
export function accessTopic(agentId: string): string {
  return `access.${agentId}`;
}

export function signalLostAccess({ db, publisher }: TransactionCtx, agentId: string): void {
  db.afterCommit(() => publisher.signal(accessTopic(agentId)));
}

const checkEveryMs = 500;

/**
 * Ends a long response once the token of its caller is revoked.
 * Suspended agents are let through. @throws DomainError invalid_token, which aborts the response
 */
export async function* whileTokenIsValid(
  ctx: BearerCtx,
  pieces: AsyncGenerator<string>,
): AsyncGenerator<string> {
  let checkedAt = performance.now();
  for await (const piece of pieces) {
    if (performance.now() - checkedAt > checkEveryMs) {
      await requireValidToken(ctx, { openToSuspended: true });
      checkedAt = performance.now();
    }
    yield piece;
  }
}
