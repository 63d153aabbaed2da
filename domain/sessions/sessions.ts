/** Sessions of browsers: finding, listing and ending them. */
import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, lte, sql } from 'drizzle-orm';
import { prepareOnce } from '#db/prepared.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { createId } from '#runtime/create-id.ts';
import { actingAgentColumns, type Suspendable } from '../agents/token-bearers.ts';
import {
  type AgentCtx,
  type Ctx,
  type SignedInAgent,
  type TransactionCtx,
  withTransaction,
} from '../context.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';

/** Base64url without padding. */
export const secretForm = /^[A-Za-z0-9_-]{43}$/;

const secretBytes = 32;

export function createSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(secretBytes))).toString('base64url');
}

/** Needs neither salt nor a slow hash: nobody can guess 256 random bits. */
export function hashSecret(secret: string): string {
  return Bun.SHA256.hash(secret, 'hex');
}

interface FoundSession {
  readonly agent: SignedInAgent;
  /** The suspension of the agent, if any. The caller refuses suspended agents. */
  readonly suspension: Suspendable;
}

/**
 * Finds the agent behind a session of the site.
 * @returns null if the session is unknown, has expired, or its bearer token is revoked
 */
export async function findSession(
  ctx: Ctx,
  input: { readonly secret: string },
): Promise<FoundSession | null> {
  const { sessions } = ctx.db.tables;
  const now = ctx.clock.now();
  const [found] = await selectLive(ctx.db).execute({ hash: hashSecret(input.secret), now });
  if (found === undefined) return null;
  const { lastUsedAt, suspendedAt, suspendedUntil, ...agent } = found;
  if (now.getTime() - lastUsedAt.getTime() > lastUseExactToMs) {
    await withTransaction(ctx, ({ db }) =>
      db.query.update(sessions).set({ lastUsedAt: now }).where(eq(sessions.id, agent.sessionId)),
    );
  }
  return { agent, suspension: { suspendedAt, suspendedUntil } };
}

const selectLive = prepareOnce(({ query, tables: { agents, bearerTokens, sessions } }) =>
  query
    .select({
      sessionId: sessions.id,
      lastUsedAt: sessions.lastUsedAt,
      ...actingAgentColumns(agents),
      tokenId: sessions.bearerTokenId,
    })
    .from(sessions)
    .leftJoin(bearerTokens, eq(bearerTokens.id, sessions.bearerTokenId))
    .innerJoin(agents, eq(agents.id, sessions.agentId))
    .where(
      and(
        eq(sessions.sessionHash, sql.placeholder('hash')),
        gt(sessions.expiresAt, sql.param(sql.placeholder('now'), sessions.expiresAt)),
        isNull(bearerTokens.revokedAt),
      ),
    )
    .prepare('find_session'),
);

export type SessionRow = Tables['sessions']['$inferSelect'];

/** Lists the acting agent's sessions, newest first. Their number is bounded. */
export async function listSessions({ db, clock, agent }: AgentCtx): Promise<readonly SessionRow[]> {
  const { bearerTokens, sessions } = db.tables;
  const rows = await db.query
    .select({ session: sessions })
    .from(sessions)
    .leftJoin(bearerTokens, eq(bearerTokens.id, sessions.bearerTokenId))
    .where(
      and(
        eq(sessions.agentId, agent.id),
        isNotNull(sessions.sessionHash),
        gt(sessions.expiresAt, clock.now()),
        isNull(bearerTokens.revokedAt),
      ),
    )
    .orderBy(desc(sessions.id))
    .limit(sessionsPerAgentMax);
  return rows.map(({ session }) => session);
}

/**
 * An agent ends one of its sessions.
 * @throws DomainError not_found
 */
export async function endSession(ctx: AgentCtx, input: { readonly sessionId: string }): Promise<void> {
  await withTransaction(ctx, async ({ db, agent }) => {
    const { sessions } = db.tables;
    const isOwn = and(eq(sessions.id, input.sessionId), eq(sessions.agentId, agent.id));
    const ended = await db.query
      .update(sessions)
      .set(endedSession(sessions))
      .where(and(isOwn, isNotNull(sessions.sessionHash)))
      .returning({ id: sessions.id });
    if (ended.length > 0) return;
    throw new DomainError('not_found', 'You have no session with this id.', {
      hint: `${operation('getAgentsMeSessions')} lists your sessions.`,
    });
  });
}

/**
 * An agent signs out everywhere.
 * Ends every session, and every sign-in link that has not been used.
 */
export async function endAllSessions(ctx: AgentCtx): Promise<void> {
  await withTransaction(ctx, async ({ db, agent }) => {
    const { sessions } = db.tables;
    await db.query.update(sessions).set(endedSession(sessions)).where(eq(sessions.agentId, agent.id));
  });
}

/** Of an ended session, the link is left: it counts against the limit, and works no more on any clock. */
function endedSession({ createdAt }: Tables['sessions']) {
  return { sessionHash: null, userAgent: '', expiresAt: sql`${createdAt}` };
}

/**
 * Starts a session for the agent whose signature the transaction has checked.
 * @returns the secret of the session in clear text; the hub stores only its hash
 */
export async function openSession(
  ctx: TransactionCtx,
  { agentId, userAgent }: Pick<SessionRow, 'agentId' | 'userAgent'>,
): Promise<string> {
  const { sessions } = ctx.db.tables;
  const now = ctx.clock.now();
  const { secret, columns } = newSession(now, userAgent);
  await ctx.db.query
    .insert(sessions)
    .values({ id: createId(now), agentId, bearerTokenId: null, linkHash: null, createdAt: now, ...columns });
  await keepToLimits(ctx, agentId);
  return secret;
}

/** The columns that make a session of a row. */
export function newSession(now: Date, userAgent: string) {
  const secret = createSecret();
  const columns = {
    sessionHash: hashSecret(secret),
    userAgent: Array.from(userAgent.toWellFormed().replaceAll('\0', ''))
      .slice(0, userAgentLengthMax)
      .join(''),
    lastUsedAt: now,
    expiresAt: new Date(now.getTime() + sessionLifetimeMs),
  };
  return { secret, columns };
}

/** Deletes sessions and links that have expired, and of too many sessions those used least recently. */
export async function keepToLimits({ db, clock }: TransactionCtx, agentId: string): Promise<void> {
  const { sessions } = db.tables;
  const now = clock.now();
  await db.query.delete(sessions).where(
    and(
      eq(sessions.agentId, agentId),
      lte(sessions.expiresAt, now),
      // Links count against their limit for this long.
      lt(sessions.createdAt, new Date(now.getTime() - linkWindowMs)),
    ),
  );
  const open = await db.query
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.agentId, agentId), isNotNull(sessions.sessionHash)))
    .orderBy(asc(sessions.lastUsedAt), asc(sessions.id));
  const surplus = open.slice(0, Math.max(0, open.length - sessionsPerAgentMax));
  if (surplus.length > 0) {
    await db.query.delete(sessions).where(
      inArray(
        sessions.id,
        surplus.map(({ id }) => id),
      ),
    );
  }
}

/** The limits of sign-in links and sessions. */

export const linkLifetimeMs = 5 * 60 * 1_000;
export const linksPerHourMax = 5;
export const linkWindowMs = 60 * 60 * 1_000;
export const sessionLifetimeMs = 14 * 24 * 60 * 60 * 1_000;
/** Another session ends the one that was used least recently. */
export const sessionsPerAgentMax = 20;
/** The precision of `last_used_at`. */
const lastUseExactToMs = 5 * 60 * 1_000;
/** Longer user agents are truncated. */
const userAgentLengthMax = 200;
