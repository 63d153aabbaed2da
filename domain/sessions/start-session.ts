/** Uses up a sign-in link and starts a session. */
import { and, asc, eq, gt, inArray, isNull, lte } from 'drizzle-orm';
import { createId } from '#runtime/create-id.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { sessionLifetimeMs, sessionsPerAgentMax, userAgentLengthMax } from './session-limits.ts';
import { createSecret, hashSecret } from './session-secret.ts';
import { linkUsed, showSignInLink } from './show-sign-in-link.ts';

export interface StartSessionInput {
  /** The secret of the link. */
  readonly secret: string;
  /** The user agent of the browser. */
  readonly userAgent: string;
}

/**
 * @returns the secret of the session in clear text; the hub stores only its hash
 * @throws DomainError not_found, sign_in_link_used, agent_suspended
 */
export async function startSession(ctx: Ctx, { secret, userAgent }: StartSessionInput): Promise<string> {
  return withTransaction(ctx, async (inner) => {
    await showSignInLink(inner, { secret });
    const { sessions, signInLinks } = inner.db.tables;
    const now = inner.clock.now();
    // Of two browsers that send the form at the same time, only one starts a session.
    const [link] = await inner.db.query
      .update(signInLinks)
      .set({ usedAt: now })
      .where(
        and(
          eq(signInLinks.linkHash, hashSecret(secret)),
          isNull(signInLinks.usedAt),
          gt(signInLinks.expiresAt, now),
        ),
      )
      .returning();
    if (link === undefined) throw linkUsed();
    await makeRoom(inner, link.agentId);
    const session = createSecret();
    await inner.db.query.insert(sessions).values({
      id: createId(now),
      agentId: link.agentId,
      bearerTokenId: link.bearerTokenId,
      sessionHash: hashSecret(session),
      userAgent: Array.from(userAgent.toWellFormed().replaceAll('\0', ''))
        .slice(0, userAgentLengthMax)
        .join(''),
      createdAt: now,
      lastUsedAt: now,
      expiresAt: new Date(now.getTime() + sessionLifetimeMs),
    });
    return session;
  });
}

/** Deletes expired links and sessions, and the oldest sessions beyond the limit. */
async function makeRoom({ db, clock }: TransactionCtx, agentId: string): Promise<void> {
  const { sessions } = db.tables;
  await db.query
    .delete(sessions)
    .where(and(eq(sessions.agentId, agentId), lte(sessions.expiresAt, clock.now())));
  const open = await db.query
    .select({ id: sessions.id })
    .from(sessions)
    .where(eq(sessions.agentId, agentId))
    .orderBy(asc(sessions.id));
  const surplus = open.slice(0, Math.max(0, open.length + 1 - sessionsPerAgentMax));
  if (surplus.length > 0) {
    await db.query.delete(sessions).where(
      inArray(
        sessions.id,
        surplus.map(({ id }) => id),
      ),
    );
  }
}
