/** Exchanges a refresh token for the next one and another access token (RFC 6749 section 6). */
import { and, desc, eq, inArray, isNull } from 'drizzle-orm';
import { createId } from '#runtime/create-id.ts';
import type { BearerTokenRow } from '../agents/bearer-tokens.ts';
import { isSuspended } from '../agents/token-bearers.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { issueAgain, type IssuedGrant, issueTokens, parseRefreshToken } from './grant-tokens.ts';
import { invalidGrant } from './issue-grant.ts';
import { prunedAtOnceMax, replacedTokensMax } from './oauth-limits.ts';
import { noteClientUse } from './registered-clients.ts';
import { requireResource } from './resources.ts';
import { lockGrant, revokeGrant } from './revoke-grant.ts';
import { readScopes, type Scope, scopeText } from './scopes.ts';

export interface RefreshGrantInput {
  readonly refreshToken: string;
  readonly clientId: string;
  /** Those of the new access token: the granted ones, which null stands for, or some of them. */
  readonly scope: string | null;
  readonly resource: string | null;
}

/**
 * The access token so far works until it expires. A client that presents the refresh token just replaced within 30 seconds
 * gets the same tokens again, because its response may have been lost. Any other refresh token that was used before
 * revokes the grant, because one of the two senders has stolen it (RFC 9700 section 4.14.2).
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
  if (isSuspended(found.agent, ctx.clock.now())) throw invalidGrant();
  const granted = found.grant.scopes ?? [];
  const asked = input.scope === null ? granted : readScopes(input.scope);
  const missing = asked.filter((scope) => !granted.includes(scope));
  if (missing.length > 0) {
    throw new DomainError('invalid_scope', `The agent did not grant ${scopeText(missing)}.`);
  }
  const refreshed = await withTransaction(ctx, (inner) =>
    refresh(inner, found.grant.id, asked, input.refreshToken, parsed),
  );
  if (refreshed === null) throw invalidGrant();
  return refreshed;
}

/** @returns null if the grant has ended, or was revoked because the token had been used before */
async function refresh(
  ctx: TransactionCtx,
  grantId: string,
  scopes: readonly Scope[],
  refreshToken: string,
  { family, refreshHash }: NonNullable<ReturnType<typeof parseRefreshToken>>,
): Promise<IssuedGrant | null> {
  const { db, clock } = ctx;
  const { bearerTokens } = db.tables;
  // Of two requests with one token, the second waits for the first.
  const grant = await lockGrant(ctx, grantId);
  const now = clock.now();
  if (grant === undefined || grant.refreshExpiresAt === null || grant.refreshExpiresAt <= now) return null;
  if (grant.refreshHash !== refreshHash) {
    const again = issueAgain(grant, refreshToken, family, now);
    // Committed although the request is refused.
    if (again === null) await revokeGrant(ctx, grantId);
    return again;
  }
  const { columns, ...tokens } = issueTokens(refreshToken, family, now, scopes);
  await db.query.update(bearerTokens).set(columns).where(eq(bearerTokens.id, grantId));
  await keepReplaced(ctx, grant);
  if (grant.clientId !== null) await noteClientUse(ctx, grant.clientId);
  return tokens;
}

/** Other calls of the client may be on their way with the access token that the refresh replaces. */
async function keepReplaced({ db, clock }: TransactionCtx, grant: BearerTokenRow): Promise<void> {
  const { bearerTokens } = db.tables;
  const { id: grantId, agentId, clientId, tokenHash, accessScopes, expiresAt } = grant;
  const now = clock.now();
  if (expiresAt === null || expiresAt <= now) return;
  await db.query.insert(bearerTokens).values({
    id: createId(now),
    agentId,
    tokenHash,
    clientId,
    createdAt: now,
    accessScopes,
    expiresAt,
    refreshExpiresAt: expiresAt,
    grantId,
  });
  const surplus = db.query
    .select({ id: bearerTokens.id })
    .from(bearerTokens)
    .where(eq(bearerTokens.grantId, grantId))
    .orderBy(desc(bearerTokens.expiresAt), desc(bearerTokens.id))
    .limit(prunedAtOnceMax)
    .offset(replacedTokensMax);
  await db.query.delete(bearerTokens).where(inArray(bearerTokens.id, surplus));
}
