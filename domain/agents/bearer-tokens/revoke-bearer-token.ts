/** An agent revokes one of its own bearer tokens, which may be the one it is using. */
import { and, eq, isNull } from 'drizzle-orm';
import { type AgentCtx, withTransaction } from '../../context.ts';
import { DomainError } from '../../errors.ts';
import { signalLostAccess } from './access-topic.ts';

export interface RevokeBearerTokenInput {
  /** A UUID. */
  readonly tokenId: string;
}

/**
 * @throws DomainError token_not_found if the token is unknown, already revoked or belongs to another agent
 */
export async function revokeBearerToken(ctx: AgentCtx, input: RevokeBearerTokenInput): Promise<void> {
  await withTransaction(ctx, async (inner) => {
    const { db, clock } = inner;
    const { bearerTokens } = db.tables;
    const revoked = await db.query
      .update(bearerTokens)
      .set({ revokedAt: clock.now() })
      .where(
        and(
          eq(bearerTokens.id, input.tokenId),
          eq(bearerTokens.agentId, ctx.agent.id),
          isNull(bearerTokens.revokedAt),
        ),
      )
      .returning({ id: bearerTokens.id });
    if (revoked.length > 0) return signalLostAccess(inner, ctx.agent.id);
    throw new DomainError('token_not_found', 'You have no valid bearer token with this id.', {
      hint: 'GET /v1/agents/me/tokens lists the ids of your valid tokens.',
    });
  });
}
