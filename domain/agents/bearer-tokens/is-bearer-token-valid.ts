/** Rechecks a token during a long-lived response such as a stream. */
import { and, eq, isNull } from 'drizzle-orm';
import type { BearerCtx } from '../../context.ts';

/** Returns false once the acting agent's token has been revoked. */
export async function isBearerTokenValid({ db, agent }: BearerCtx): Promise<boolean> {
  const { bearerTokens } = db.tables;
  const rows = await db.query
    .select({ id: bearerTokens.id })
    .from(bearerTokens)
    .where(and(eq(bearerTokens.id, agent.tokenId), isNull(bearerTokens.revokedAt)));
  return rows.length > 0;
}
