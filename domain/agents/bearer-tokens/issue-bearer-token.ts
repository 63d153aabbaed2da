/** Gives an agent one more bearer token, in the transaction in which it has proved its key. */
import { and, desc, eq, inArray, isNull, lt, sql } from 'drizzle-orm';
import { lockRows } from '#db/locks.ts';
import { createId } from '#runtime/create-id.ts';
import type { TransactionCtx } from '../../context.ts';
import { keepRevokedTokensMs, liveTokensMax } from '../agent-limits.ts';
import { createBearerToken, hashBearerToken } from '../keys/bearer-token.ts';

/**
 * The tokens there are stay valid, up to `liveTokensMax` with the new one; past that the least recently used is revoked.
 * @returns the token, of which the hub stores the hash alone
 */
export async function issueBearerToken(ctx: TransactionCtx, agentId: string): Promise<string> {
  const { agents, bearerTokens } = ctx.db.tables;
  // Two logins at once would each count the tokens without the other's.
  await lockRows(ctx.db, ctx.db.query.select({ id: agents.id }).from(agents).where(eq(agents.id, agentId)));
  await makeRoom(ctx, agentId);
  const now = ctx.clock.now();
  const token = createBearerToken();
  await ctx.db.query.insert(bearerTokens).values({
    id: createId(now),
    agentId,
    tokenHash: hashBearerToken(token),
    createdAt: now,
    lastUsedAt: null,
    revokedAt: null,
  });
  return token;
}

/** Also forgets what was revoked long ago, so that an agent that logs in every day leaves a bounded number of rows. */
async function makeRoom(ctx: TransactionCtx, agentId: string): Promise<void> {
  const { bearerTokens } = ctx.db.tables;
  const now = ctx.clock.now();
  const surplus = ctx.db.query
    .select({ id: bearerTokens.id })
    .from(bearerTokens)
    .where(and(eq(bearerTokens.agentId, agentId), isNull(bearerTokens.revokedAt)))
    .orderBy(
      desc(sql`coalesce(${bearerTokens.lastUsedAt}, ${bearerTokens.createdAt})`),
      desc(bearerTokens.id),
    )
    .limit(liveTokensMax)
    .offset(liveTokensMax - 1);
  await ctx.db.query.update(bearerTokens).set({ revokedAt: now }).where(inArray(bearerTokens.id, surplus));
  await ctx.db.query
    .delete(bearerTokens)
    .where(
      and(
        eq(bearerTokens.agentId, agentId),
        lt(bearerTokens.revokedAt, new Date(now.getTime() - keepRevokedTokensMs)),
      ),
    );
}
