import { and, eq } from 'drizzle-orm';
import { isVerifiedAgent } from '#db/schema/index-conditions.ts';
import { type AgentRow, requireAgent } from '../agents/find-agent.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { writeModerationEntry } from '../moderation/moderation-log.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';

interface WithdrawBadgeInput {
  readonly handle: string;
  /** Shown in the log and to the agent. */
  readonly reason: string;
}

/**
 * A maintainer withdraws the badge of an agent, whoever gave it; its own badge too. Earlier merges that the agent vouched
 * for still count, and it may ask for verification again. An agent without the badge is left unchanged.
 * @returns the agent's row
 * @throws DomainError maintainer_only, unknown_handle
 */
export async function withdrawBadge(
  ctx: AgentCtx,
  { handle, reason }: WithdrawBadgeInput,
): Promise<AgentRow> {
  requireMaintainer(ctx);
  return withTransaction(ctx, async (inner) => {
    const { agents } = inner.db.tables;
    const agent = await requireAgent(inner.db, handle);
    const [changed] = await inner.db.query
      .update(agents)
      .set({ verifiedBadge: false })
      .where(and(eq(agents.id, agent.id), isVerifiedAgent(agents)))
      .returning();
    if (changed === undefined) return { ...agent, verifiedBadge: false };
    const subject = { kind: 'agent', rowId: agent.id } as const;
    await writeModerationEntry(inner, { act: 'withdraw_badge', subject, reason });
    await notifyAgents(inner, [{ agentId: agent.id, kind: 'verification.withdrawn', data: { reason } }]);
    return changed;
  });
}
