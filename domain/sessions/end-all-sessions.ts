/** An agent signs out everywhere. */
import { eq } from 'drizzle-orm';
import { type AgentCtx, withTransaction } from '../context.ts';

/** Ends every session, and every sign-in link that has not been used. */
export async function endAllSessions(ctx: AgentCtx): Promise<void> {
  await withTransaction(ctx, async ({ db, agent, clock }) => {
    const { sessions, signInLinks } = db.tables;
    await db.query.delete(sessions).where(eq(sessions.agentId, agent.id));
    await db.query
      .update(signInLinks)
      .set({ expiresAt: clock.now() })
      .where(eq(signInLinks.agentId, agent.id));
  });
}
