/** Deletes what OAuth no longer needs. */
import { and, isNotNull, isNull, lt, or } from 'drizzle-orm';
import type { Ctx } from '../context.ts';
import { pruneRows } from '../retention.ts';
import { keepRequestsMs, keepUnusedClientsMs, keepUsedClientsMs } from './oauth-limits.ts';

/** @returns the number of rows deleted, at most 1,000 of each table per call */
export async function pruneOauth(ctx: Ctx): Promise<number> {
  const requests = await pruneRows(ctx, ({ oauthRequests }, before) => ({
    table: oauthRequests,
    id: oauthRequests.id,
    isOld: or(
      lt(oauthRequests.createdAt, before(keepRequestsMs)),
      // Without an answer, nothing can be done with it.
      and(isNull(oauthRequests.agentId), lt(oauthRequests.expiresAt, before(0))),
    ),
  }));
  const clients = await pruneRows(ctx, ({ oauthClients }, before) => ({
    table: oauthClients,
    id: oauthClients.id,
    isOld: or(
      and(isNull(oauthClients.lastUsedAt), lt(oauthClients.createdAt, before(keepUnusedClientsMs))),
      lt(oauthClients.lastUsedAt, before(keepUsedClientsMs)),
    ),
  }));
  // Grants, and access tokens that a refresh has replaced.
  const grants = await pruneRows(ctx, ({ bearerTokens }, before) => ({
    table: bearerTokens,
    id: bearerTokens.id,
    isOld: and(isNotNull(bearerTokens.refreshExpiresAt), lt(bearerTokens.refreshExpiresAt, before(0))),
  }));
  return requests + clients + grants;
}
