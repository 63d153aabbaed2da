/** Locks and revokes the grants of clients. */
import { and, eq, isNull } from 'drizzle-orm';
import { lockRows } from '#db/transaction.ts';
import { type BearerTokenRow, isTokenOrReplaced, signalLostAccess } from '../agents/bearer-tokens.ts';
import { hashBearerToken, isWellFormedBearerToken } from '../agents/token-bearers.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { parseRefreshToken } from './grant-tokens.ts';

/** Locks the row of a grant. Undefined if it has been revoked. */
export async function lockGrant({ db }: TransactionCtx, id: string): Promise<BearerTokenRow | undefined> {
  const { bearerTokens } = db.tables;
  const isOpen = and(eq(bearerTokens.id, id), isNull(bearerTokens.revokedAt));
  const [grant] = await lockRows(db, db.query.select().from(bearerTokens).where(isOpen));
  return grant;
}

/** Ends the access tokens and the refresh tokens of the grant. */
export async function revokeGrant(ctx: TransactionCtx, tokenId: string): Promise<void> {
  const { bearerTokens } = ctx.db.tables;
  const revoked = await ctx.db.query
    .update(bearerTokens)
    .set({ revokedAt: ctx.clock.now() })
    .where(and(isTokenOrReplaced(bearerTokens, [tokenId]), isNull(bearerTokens.revokedAt)))
    .returning({ agentId: bearerTokens.agentId });
  const [first] = revoked;
  if (first !== undefined) signalLostAccess(ctx, first.agentId);
}

export interface RevokeOauthTokenInput {
  /** An access token or a refresh token. */
  readonly token: string;
  readonly clientId: string;
}

/** Revokes the grant of a token. Does nothing if the client has no such token (RFC 7009 section 2.2). */
export async function revokeOauthToken(ctx: Ctx, { token, clientId }: RevokeOauthTokenInput): Promise<void> {
  const refresh = parseRefreshToken(token);
  if (refresh === null && !isWellFormedBearerToken(token)) return;
  await withTransaction(ctx, async (inner) => {
    const { query, tables } = inner.db;
    const { bearerTokens } = tables;
    const [found] = await query
      .select({ id: bearerTokens.id, grantId: bearerTokens.grantId })
      .from(bearerTokens)
      .where(
        and(
          eq(bearerTokens.clientId, clientId),
          refresh === null
            ? eq(bearerTokens.tokenHash, hashBearerToken(token))
            : eq(bearerTokens.familyHash, refresh.familyHash),
        ),
      );
    if (found !== undefined) await revokeGrant(inner, found.grantId ?? found.id);
  });
}
