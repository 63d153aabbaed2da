/** Exchanges a refresh token for the next one and another access token (RFC 6749 section 6). */
import { and, eq, gt, isNull } from 'drizzle-orm';
import { createBearerToken, hashBearerToken } from '../agents/keys/bearer-token.ts';
import { isSuspended } from '../agents/suspension.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { invalidGrant, type IssuedGrant } from './issue-grant.ts';
import { accessTokenLifetimeMs, refreshTokenLifetimeMs } from './oauth-limits.ts';
import { createRefreshToken, parseRefreshToken } from './refresh-token.ts';
import { noteClientUse } from './registered-clients.ts';
import { requireResource } from './resources.ts';
import { revokeGrant } from './revoke-grant.ts';
import { readScopes, scopeText } from './scopes.ts';

export interface RefreshGrantInput {
  readonly refreshToken: string;
  readonly clientId: string;
  /** May only repeat the granted scopes or drop some of them. */
  readonly scope: string | null;
  readonly resource: string | null;
}

/**
 * The access token so far stops working. A refresh token that is used again revokes the grant, because one of the two
 * senders has stolen it (RFC 9700 section 4.14.2).
 * @throws DomainError invalid_grant, invalid_scope, invalid_target
 */
export async function refreshGrant(ctx: Ctx, input: RefreshGrantInput): Promise<IssuedGrant> {
  requireResource(ctx.rules.baseUrl, input.resource);
  const parsed = parseRefreshToken(input.refreshToken);
  if (parsed === null) throw invalidGrant();
  const { bearerTokens, agents } = ctx.db.tables;
  const [found] = await ctx.db.query
    .select({ grant: bearerTokens, agent: agents })
    .from(bearerTokens)
    .innerJoin(agents, eq(agents.id, bearerTokens.agentId))
    .where(and(eq(bearerTokens.familyHash, parsed.familyHash), isNull(bearerTokens.revokedAt)));
  if (found === undefined || found.grant.clientId !== input.clientId) throw invalidGrant();
  const { id, scopes } = found.grant;
  const now = ctx.clock.now();
  if (isSuspended(found.agent, now)) throw invalidGrant();
  const granted = scopes ?? [];
  const missing =
    input.scope === null ? [] : readScopes(input.scope).filter((scope) => !granted.includes(scope));
  if (missing.length > 0) {
    throw new DomainError('invalid_scope', `The agent did not grant ${scopeText(missing)}.`);
  }
  const token = createBearerToken();
  const next = createRefreshToken(parsed.family);
  const isRefreshed = await withTransaction(ctx, async (inner) => {
    const refreshed = await inner.db.query
      .update(bearerTokens)
      .set({
        tokenHash: hashBearerToken(token),
        expiresAt: new Date(now.getTime() + accessTokenLifetimeMs),
        refreshHash: next.refreshHash,
        refreshExpiresAt: new Date(now.getTime() + refreshTokenLifetimeMs),
      })
      .where(
        and(
          eq(bearerTokens.id, id),
          eq(bearerTokens.refreshHash, parsed.refreshHash),
          isNull(bearerTokens.revokedAt),
          gt(bearerTokens.refreshExpiresAt, now),
        ),
      )
      .returning({ clientId: bearerTokens.clientId });
    if (refreshed.length > 0) await noteClientUse(inner, input.clientId);
    // Committed although the request is refused.
    else await revokeGrant(inner, id);
    return refreshed.length > 0;
  });
  if (!isRefreshed) throw invalidGrant();
  return {
    accessToken: token,
    refreshToken: next.token,
    expiresInSeconds: accessTokenLifetimeMs / 1_000,
    scopes: granted,
  };
}
