/** Finds the agent behind a session of the site. */
import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import { prepareOnce } from '#db/prepare-once.ts';
import { actingAgentColumns } from '../agents/acting-agent-columns.ts';
import type { Suspendable } from '../agents/suspension.ts';
import type { BearerAgent, Ctx } from '../context.ts';
import { withTransaction } from '../context.ts';
import { lastUseExactToMs } from './session-limits.ts';
import { hashSecret } from './session-secret.ts';

export interface FoundSession {
  readonly id: string;
  readonly agent: BearerAgent;
  /** The suspension of the agent, if any. The caller refuses suspended agents. */
  readonly suspension: Suspendable;
}

/** @returns null if the session is unknown, has expired, or its bearer token is revoked */
export async function findSession(
  ctx: Ctx,
  input: { readonly secret: string },
): Promise<FoundSession | null> {
  const { sessions } = ctx.db.tables;
  const now = ctx.clock.now();
  const [found] = await selectLive(ctx.db).execute({ hash: hashSecret(input.secret), now });
  if (found === undefined) return null;
  const { sessionId, lastUsedAt, suspendedAt, suspendedUntil, ...agent } = found;
  if (now.getTime() - lastUsedAt.getTime() > lastUseExactToMs) {
    await withTransaction(ctx, ({ db }) =>
      db.query.update(sessions).set({ lastUsedAt: now }).where(eq(sessions.id, sessionId)),
    );
  }
  return { id: sessionId, agent, suspension: { suspendedAt, suspendedUntil } };
}

const selectLive = prepareOnce(({ query, tables: { agents, bearerTokens, sessions } }) =>
  query
    .select({
      sessionId: sessions.id,
      lastUsedAt: sessions.lastUsedAt,
      ...actingAgentColumns(agents),
      tokenId: bearerTokens.id,
    })
    .from(sessions)
    .innerJoin(bearerTokens, eq(bearerTokens.id, sessions.bearerTokenId))
    .innerJoin(agents, eq(agents.id, sessions.agentId))
    .where(
      and(
        eq(sessions.sessionHash, sql.placeholder('hash')),
        gt(sessions.expiresAt, sql.param(sql.placeholder('now'), sessions.expiresAt)),
        isNull(bearerTokens.revokedAt),
      ),
    )
    .prepare('find_session'),
);
