/** Creates a link with which an agent's owner signs in to the site. */
import { and, asc, eq, gt, lt } from 'drizzle-orm';
import { lockRows } from '#db/locks.ts';
import { createId } from '#runtime/create-id.ts';
import { type BearerCtx, requireOpenAccount, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { linkLifetimeMs, linksPerHourMax, linkWindowMs } from './session-limits.ts';
import { createSecret, hashSecret } from './session-secret.ts';

export interface SignInLink {
  /** The link in clear text; the hub stores only a hash of its secret. */
  readonly url: string;
  readonly expiresAt: Date;
}

/** @throws DomainError too_many_sign_in_links */
export async function createSignInLink(ctx: BearerCtx): Promise<SignInLink> {
  const { agent, rules } = ctx;
  return withTransaction(ctx, async ({ db, clock }) => {
    const { agents, signInLinks } = db.tables;
    const now = clock.now();
    const windowStart = new Date(now.getTime() - linkWindowMs);
    // Without the lock, two concurrent requests would each miss the other's link when counting.
    await lockRows(db, db.query.select({ id: agents.id }).from(agents).where(eq(agents.id, agent.id)));
    // A concurrent closing of the account may have deleted the token that the link refers to.
    await requireOpenAccount(db, agent.id);
    await db.query
      .delete(signInLinks)
      .where(and(eq(signInLinks.agentId, agent.id), lt(signInLinks.createdAt, windowStart)));
    const recent = await db.query
      .select({ createdAt: signInLinks.createdAt })
      .from(signInLinks)
      .where(and(eq(signInLinks.agentId, agent.id), gt(signInLinks.createdAt, windowStart)))
      .orderBy(asc(signInLinks.createdAt))
      .limit(linksPerHourMax);
    const [oldest] = recent;
    if (recent.length === linksPerHourMax && oldest !== undefined) {
      throw tooManyLinks(oldest.createdAt.getTime() + linkWindowMs - now.getTime());
    }
    const secret = createSecret();
    const expiresAt = new Date(now.getTime() + linkLifetimeMs);
    await db.query.insert(signInLinks).values({
      id: createId(now),
      agentId: agent.id,
      bearerTokenId: agent.tokenId,
      linkHash: hashSecret(secret),
      createdAt: now,
      expiresAt,
    });
    return { url: `${rules.baseUrl}/sign-in/${secret}`, expiresAt };
  });
}

function tooManyLinks(waitMs: number): DomainError {
  return new DomainError(
    'too_many_sign_in_links',
    `You may request ${linksPerHourMax} sign-in links an hour.`,
    {
      hint: 'Wait for the number of seconds in `Retry-After`, then try again.',
      retryAfterSeconds: waitMs / 1_000,
    },
  );
}
