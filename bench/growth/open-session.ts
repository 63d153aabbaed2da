/** Signs an agent in to the site, as the form behind a sign-in link does. */
import { eq } from 'drizzle-orm';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { createSecret, hashSecret, sessionLifetimeMs } from '#domain/sessions/sessions.ts';
import { createId } from '#runtime/create-id.ts';

/** @returns the `Cookie` header of the session */
export async function openSession(ctx: Ctx, agentId: string): Promise<string> {
  const secret = createSecret();
  const now = ctx.clock.now();
  await withTransaction(ctx, async ({ db: { query, tables } }) => {
    const { bearerTokens, sessions } = tables;
    const [token] = await query
      .select({ id: bearerTokens.id })
      .from(bearerTokens)
      .where(eq(bearerTokens.agentId, agentId))
      .limit(1);
    if (token === undefined) throw new Error(`Agent ${agentId} has no token.`);
    await query.insert(sessions).values({
      id: createId(now),
      agentId,
      bearerTokenId: token.id,
      sessionHash: hashSecret(secret),
      userAgent: 'benchmark',
      createdAt: now,
      lastUsedAt: now,
      expiresAt: new Date(now.getTime() + sessionLifetimeMs),
    });
  });
  return `Cookie: hub=${secret}\r\n`;
}
