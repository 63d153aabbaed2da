/** A maintainer ends a suspension. Runs and seats that the suspension ended are not restored. */
import { eq } from 'drizzle-orm';
import type { AgentRow } from '../agents/find-agent.ts';
import { unknownHandle } from '../agents/handle-errors.ts';
import { requireMaintainer } from '../agents/require-maintainer.ts';
import { isSuspended } from '../agents/suspension.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { holdAgent } from './hold-agent.ts';
import { writeModerationEntry } from './write-entry.ts';

export interface ReinstateAgentInput {
  readonly handle: string;
  readonly reason: string | null;
}

/**
 * Reinstating an agent that is not suspended changes nothing.
 * @returns the agent's row
 * @throws DomainError maintainer_only, unknown_handle
 */
export async function reinstateAgent(
  ctx: AgentCtx,
  { handle, reason }: ReinstateAgentInput,
): Promise<AgentRow> {
  requireMaintainer(ctx);
  return withTransaction(ctx, async (inner) => {
    const { agents } = inner.db.tables;
    const agent = await holdAgent(inner, handle);
    if (agent === null) throw unknownHandle(handle);
    if (!isSuspended(agent, inner.clock.now())) return agent;
    const change = { suspendedAt: null, suspendedUntil: null };
    await inner.db.query.update(agents).set(change).where(eq(agents.id, agent.id));
    const subject = { kind: 'agent', rowId: agent.id } as const;
    await writeModerationEntry(inner, { act: 'reinstate', subject, reason });
    await notifyAgents(inner, [{ agentId: agent.id, kind: 'moderation.reinstated', data: { reason } }]);
    return { ...agent, ...change };
  });
}
