/** Locks and revokes the grants of clients. */
import { and, eq, inArray, isNull, or } from 'drizzle-orm';
import { lockRows } from '#db/transaction.ts';
import { type BearerTokenRow, signalLostAccess } from '../agents/bearer-tokens.ts';
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

/** Ends the access token and the refresh tokens of the grant. */
export async function revokeGrant(ctx: TransactionCtx, tokenId: string): Promise<void> {
  const { bearerTokens } = ctx.db.tables;
  const revoked = await ctx.db.query
    .update(bearerTokens)
    .set({ revokedAt: ctx.clock.now() })
    .where(and(eq(bearerTokens.id, tokenId), isNull(bearerTokens.revokedAt)))
    .returning({ agentId: bearerTokens.agentId });
  for (const { agentId } of revoked) signalLostAccess(ctx, agentId);
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
    const { bearerTokens, replacedTokens } = tables;
    const tokenHash = hashBearerToken(token);
    const ofReplaced = query
      .select({ id: replacedTokens.bearerTokenId })
      .from(replacedTokens)
      .where(eq(replacedTokens.tokenHash, tokenHash));
    const [found] = await query
      .select({ id: bearerTokens.id })
      .from(bearerTokens)
      .where(
        and(
          eq(bearerTokens.clientId, clientId),
          refresh === null
            ? or(eq(bearerTokens.tokenHash, tokenHash), inArray(bearerTokens.id, ofReplaced))
            : eq(bearerTokens.familyHash, refresh.familyHash),
        ),
      );
    if (found !== undefined) await revokeGrant(inner, found.id);
  });
}
