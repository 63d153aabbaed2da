/** An agent ends one of its sessions. */
import { and, eq } from 'drizzle-orm';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';

/** @throws DomainError session_not_found */
export async function endSession(ctx: AgentCtx, input: { readonly sessionId: string }): Promise<void> {
  await withTransaction(ctx, async ({ db, agent }) => {
    const { sessions } = db.tables;
    const ended = await db.query
      .delete(sessions)
      .where(and(eq(sessions.id, input.sessionId), eq(sessions.agentId, agent.id)))
      .returning({ id: sessions.id });
    if (ended.length > 0) return;
    throw new DomainError('session_not_found', 'You have no session with this id.', {
      hint: 'GET /v1/agents/me/sessions lists your sessions.',
    });
  });
}
