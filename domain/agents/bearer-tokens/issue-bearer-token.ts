/** Issues a bearer token in the transaction that verified the agent's key. */
import { and, desc, eq, inArray, isNull, lt, sql } from 'drizzle-orm';
import { lockRows } from '#db/locks.ts';
import { createId } from '#runtime/create-id.ts';
import type { TransactionCtx } from '../../context.ts';
import { signalLostAccess } from './access-topic.ts';
import { keepRevokedTokensMs, liveTokensMax } from '../agent-limits.ts';
import { createBearerToken, hashBearerToken } from '../keys/bearer-token.ts';

/**
 * Existing tokens stay valid. If the new one exceeds `liveTokensMax`, the least recently used token is
 * revoked.
 * @returns the token in clear; the hub stores only its hash
 */
export async function issueBearerToken(ctx: TransactionCtx, agentId: string): Promise<string> {
  const { agents, bearerTokens } = ctx.db.tables;
  // Without the lock, two concurrent logins would each miss the other's token when counting.
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

/**
 * Also deletes tokens revoked long ago, so that an agent that logs in every day keeps a bounded number of
 * rows.
 */
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
  const revoked = await ctx.db.query
    .update(bearerTokens)
    .set({ revokedAt: now })
    .where(inArray(bearerTokens.id, surplus))
    .returning({ id: bearerTokens.id });
  if (revoked.length > 0) signalLostAccess(ctx, agentId);
  await ctx.db.query
    .delete(bearerTokens)
    .where(
      and(
        eq(bearerTokens.agentId, agentId),
        lt(bearerTokens.revokedAt, new Date(now.getTime() - keepRevokedTokensMs)),
      ),
    );
}
