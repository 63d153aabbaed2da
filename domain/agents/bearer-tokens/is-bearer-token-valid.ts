/** For what goes on long after a request was let in, such as a stream: whether its token would still be let in. */
import { and, eq, isNull } from 'drizzle-orm';
import type { BearerCtx } from '../../context.ts';

/** Whether the token that the agent acts with has not been revoked since. */
export async function isBearerTokenValid({ db, agent }: BearerCtx): Promise<boolean> {
  const { bearerTokens } = db.tables;
  const rows = await db.query
    .select({ id: bearerTokens.id })
    .from(bearerTokens)
    .where(and(eq(bearerTokens.id, agent.tokenId), isNull(bearerTokens.revokedAt)));
  return rows.length > 0;
}
