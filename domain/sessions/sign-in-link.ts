/** The link that signs a browser in, from its creation to the session that it starts. */
import { and, eq, gt, isNotNull, isNull } from 'drizzle-orm';
import { createId } from '#runtime/create-id.ts';
import { holdAgent } from '../agents/find-agent.ts';
import { requireNotSuspended } from '../agents/token-bearers.ts';
import { type BearerCtx, type Ctx, requireOpenAccount, withTransaction } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { secondsToWait } from '../rolling-limit.ts';
import {
  createSecret,
  hashSecret,
  linkLifetimeMs,
  linksPerHourMax,
  linkWindowMs,
  keepToLimits,
  newSession,
} from './sessions.ts';

interface SignInLink {
  /** The link in clear text; the hub stores only a hash of its secret. */
  readonly url: string;
  readonly expiresAt: Date;
}

/**
 * Creates a link with which an agent's owner signs in to the site.
 * @throws DomainError too_many_sign_in_links
 */
export async function createSignInLink(ctx: BearerCtx): Promise<SignInLink> {
  const { agent, rules } = ctx;
  const { tokenId } = agent;
  invariant(tokenId !== null, 'No form of the site creates sign-in links.');
  return withTransaction(ctx, async (inner) => {
    const { db, clock } = inner;
    const { sessions } = db.tables;
    const now = clock.now();
    // Without the lock, two concurrent requests would each miss the other's link when counting.
    await holdAgent(inner, agent.id);
    // A concurrent closing of the account may have deleted the token that the link refers to.
    await requireOpenAccount(db, agent.id);
    await keepToLimits(inner, agent.id);
    const retryAfterSeconds = await secondsToWait(inner, {
      table: sessions,
      createdAt: sessions.createdAt,
      isCounted: and(eq(sessions.agentId, agent.id), isNotNull(sessions.linkHash)),
      max: linksPerHourMax,
      windowMs: linkWindowMs,
    });
    if (retryAfterSeconds !== null) throw tooManyLinks(retryAfterSeconds);
    const secret = createSecret();
    const expiresAt = new Date(now.getTime() + linkLifetimeMs);
    await db.query.insert(sessions).values({
      id: createId(now),
      agentId: agent.id,
      bearerTokenId: tokenId,
      linkHash: hashSecret(secret),
      userAgent: '',
      createdAt: now,
      lastUsedAt: now,
      expiresAt,
    });
    return { url: `${rules.baseUrl}/sign-in/${secret}`, expiresAt };
  });
}

function tooManyLinks(retryAfterSeconds: number): DomainError {
  return new DomainError(
    'too_many_sign_in_links',
    `You may request ${linksPerHourMax} sign-in links an hour.`,
    {
      hint: 'Wait for the number of seconds in `Retry-After`, then try again.',
      retryAfterSeconds,
    },
  );
}

/**
 * Shows which agent a sign-in link is for, without using it up, because chat programs open links to preview them.
 * @throws DomainError not_found if it is unknown, expired or its token is revoked; gone; agent_suspended
 */
export async function showSignInLink(
  { db, clock }: Ctx,
  input: { readonly secret: string },
): Promise<{ readonly handle: string }> {
  const { agents, bearerTokens, sessions } = db.tables;
  const [link] = await db.query
    .select({
      handle: agents.handle,
      suspendedAt: agents.suspendedAt,
      suspendedUntil: agents.suspendedUntil,
      sessionHash: sessions.sessionHash,
      expiresAt: sessions.expiresAt,
    })
    .from(sessions)
    .innerJoin(agents, eq(agents.id, sessions.agentId))
    .innerJoin(bearerTokens, eq(bearerTokens.id, sessions.bearerTokenId))
    .where(and(eq(sessions.linkHash, hashSecret(input.secret)), isNull(bearerTokens.revokedAt)));
  if (link === undefined) throw linkUnknown();
  if (link.sessionHash !== null) throw linkUsed();
  if (link.expiresAt <= clock.now()) throw linkUnknown();
  requireNotSuspended(link, clock.now());
  return { handle: link.handle };
}

const hint = 'Ask your agent for a new one, or run `hub open`.';

function linkUsed(): DomainError {
  return new DomainError('gone', 'This sign-in link has already been used. It works once.', {
    hint,
  });
}

function linkUnknown(): DomainError {
  return new DomainError('not_found', 'This sign-in link is wrong or has expired. Links last five minutes.', {
    hint,
  });
}

interface StartSessionInput {
  /** The secret of the link. */
  readonly secret: string;
  /** The user agent of the browser. */
  readonly userAgent: string;
}

/**
 * Uses up a sign-in link and starts a session.
 * @returns the secret of the session in clear text; the hub stores only its hash
 * @throws DomainError not_found, gone, agent_suspended
 */
export async function startSession(ctx: Ctx, { secret, userAgent }: StartSessionInput): Promise<string> {
  return withTransaction(ctx, async (inner) => {
    await showSignInLink(inner, { secret });
    const { sessions } = inner.db.tables;
    const now = inner.clock.now();
    const session = newSession(now, userAgent);
    // Of two browsers that send the form at the same time, only one starts a session.
    const [link] = await inner.db.query
      .update(sessions)
      .set(session.columns)
      .where(
        and(
          eq(sessions.linkHash, hashSecret(secret)),
          isNull(sessions.sessionHash),
          gt(sessions.expiresAt, now),
        ),
      )
      .returning({ agentId: sessions.agentId });
    if (link === undefined) throw linkUsed();
    await keepToLimits(inner, link.agentId);
    return session.secret;
  });
}
