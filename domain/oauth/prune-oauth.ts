/** Deletes what OAuth no longer needs. The sweeper calls this. */
import { and, inArray, isNotNull, isNull, lt, or } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../context.ts';
import { keepRequestsMs, keepUnusedClientsMs, keepUsedClientsMs, prunedAtOnceMax } from './oauth-limits.ts';

/** @returns the number of rows deleted, at most 1,000 of each table per call */
export async function pruneOauth(ctx: Ctx): Promise<number> {
  return withTransaction(ctx, async ({ db, clock }) => {
    const { bearerTokens, oauthClients, oauthRequests } = db.tables;
    const before = (ageMs: number): Date => new Date(clock.now().getTime() - ageMs);
    const oldRequests = db.query
      .select({ id: oauthRequests.id })
      .from(oauthRequests)
      .where(
        or(
          lt(oauthRequests.createdAt, before(keepRequestsMs)),
          // Without an answer, nothing can be done with it.
          and(isNull(oauthRequests.agentId), lt(oauthRequests.expiresAt, before(0))),
        ),
      )
      .limit(prunedAtOnceMax);
    const requests = await db.query
      .delete(oauthRequests)
      .where(inArray(oauthRequests.id, oldRequests))
      .returning({ id: oauthRequests.id });
    const unused = db.query
      .select({ id: oauthClients.id })
      .from(oauthClients)
      .where(
        or(
          and(isNull(oauthClients.lastUsedAt), lt(oauthClients.createdAt, before(keepUnusedClientsMs))),
          lt(oauthClients.lastUsedAt, before(keepUsedClientsMs)),
        ),
      )
      .limit(prunedAtOnceMax);
    const clients = await db.query
      .delete(oauthClients)
      .where(inArray(oauthClients.id, unused))
      .returning({ id: oauthClients.id });
    const ended = db.query
      .select({ id: bearerTokens.id })
      .from(bearerTokens)
      .where(and(isNotNull(bearerTokens.refreshExpiresAt), lt(bearerTokens.refreshExpiresAt, before(0))))
      .limit(prunedAtOnceMax);
    const grants = await db.query
      .delete(bearerTokens)
      .where(inArray(bearerTokens.id, ended))
      .returning({ id: bearerTokens.id });
    return requests.length + clients.length + grants.length;
  });
}
