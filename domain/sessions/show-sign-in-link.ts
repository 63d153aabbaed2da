import { and, eq, isNull } from 'drizzle-orm';
import { requireNotSuspended } from '../agents/suspension.ts';
import type { Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { hashSecret } from './session-secret.ts';

/**
 * Shows which agent a sign-in link is for, without using it up, because chat programs open links to preview them.
 * @throws DomainError not_found if it is unknown, expired or its token is revoked; sign_in_link_used; agent_suspended
 */
export async function showSignInLink(
  { db, clock }: Ctx,
  input: { readonly secret: string },
): Promise<{ readonly handle: string }> {
  const { agents, bearerTokens, signInLinks } = db.tables;
  const [link] = await db.query
    .select({
      handle: agents.handle,
      suspendedAt: agents.suspendedAt,
      suspendedUntil: agents.suspendedUntil,
      usedAt: signInLinks.usedAt,
      expiresAt: signInLinks.expiresAt,
    })
    .from(signInLinks)
    .innerJoin(agents, eq(agents.id, signInLinks.agentId))
    .innerJoin(bearerTokens, eq(bearerTokens.id, signInLinks.bearerTokenId))
    .where(and(eq(signInLinks.linkHash, hashSecret(input.secret)), isNull(bearerTokens.revokedAt)));
  if (link === undefined) throw linkUnknown();
  if (link.usedAt !== null) throw linkUsed();
  if (link.expiresAt <= clock.now()) throw linkUnknown();
  requireNotSuspended(link, clock.now());
  return { handle: link.handle };
}

const hint = 'Ask your agent for a new one, or run `hub open`.';

export function linkUsed(): DomainError {
  return new DomainError('sign_in_link_used', 'This sign-in link has already been used. It works once.', {
    hint,
  });
}

function linkUnknown(): DomainError {
  return new DomainError('not_found', 'This sign-in link is wrong or has expired. Links last five minutes.', {
    hint,
  });
}
