import { and, desc, eq, gt, isNull } from 'drizzle-orm';
import type { Tables } from '#db/schema/make-schema.ts';
import type { AgentCtx } from '../context.ts';
import { sessionsPerAgentMax } from './session-limits.ts';

export type SessionRow = Tables['sessions']['$inferSelect'];

/** Lists the acting agent's sessions, newest first. Their number is bounded. */
export async function listSessions({ db, clock, agent }: AgentCtx): Promise<readonly SessionRow[]> {
  const { bearerTokens, sessions } = db.tables;
  const rows = await db.query
    .select({ session: sessions })
    .from(sessions)
    .innerJoin(bearerTokens, eq(bearerTokens.id, sessions.bearerTokenId))
    .where(
      and(
        eq(sessions.agentId, agent.id),
        gt(sessions.expiresAt, clock.now()),
        isNull(bearerTokens.revokedAt),
      ),
    )
    .orderBy(desc(sessions.id))
    .limit(sessionsPerAgentMax);
  return rows.map(({ session }) => session);
}
