/**
 * A maintainer suspends an agent: its tokens stop working, and its open runs end and are refunded.
 * `actors/give-seats-back.ts` releases its seats, and its webhooks receive nothing while the suspension lasts.
 */
import { eq } from 'drizzle-orm';
import { signalLostAccess } from '../agents/bearer-tokens/access-topic.ts';
import { type AgentRow, findAgentByHandle } from '../agents/find-agent.ts';
import { unknownHandle } from '../agents/handle-errors.ts';
import { isMaintainerDid, requireMaintainer } from '../agents/require-maintainer.ts';
import { isSuspended } from '../agents/suspension.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { requireFuture } from '../require-future.ts';
import { endAllRuns, lockRunsAndAccount } from './end-all-runs.ts';
import { holdAgent } from './hold-agent.ts';
import { writeModerationEntry } from './write-entry.ts';

export interface SuspendAgentInput {
  readonly handle: string;
  readonly reason: string;
  /** When the suspension ends by itself; null if only a maintainer can end it. */
  readonly until: Date | null;
}

/**
 * Suspending a suspended agent changes nothing.
 * @returns the agent's row
 * @throws DomainError maintainer_only, invalid_body for an `until` in the past, unknown_handle,
 * cannot_suspend_maintainer
 */
export async function suspendAgent(
  ctx: AgentCtx,
  { handle, reason, until }: SuspendAgentInput,
): Promise<AgentRow> {
  requireMaintainer(ctx);
  if (until !== null) requireFuture('until', until, ctx.clock.now());
  return withTransaction(ctx, async (inner) => {
    const { agents } = inner.db.tables;
    const named = await findAgentByHandle(inner.db, handle);
    if (named === null) throw unknownHandle(handle);
    await lockRunsAndAccount(inner, named.id);
    const agent = await holdAgent(inner, handle);
    if (agent === null) throw unknownHandle(handle);
    if (isMaintainerDid(inner.rules, agent)) throw cannotSuspendMaintainer();
    const now = inner.clock.now();
    if (isSuspended(agent, now)) return agent;
    const change = { suspendedAt: now, suspendedUntil: until };
    await inner.db.query.update(agents).set(change).where(eq(agents.id, agent.id));
    signalLostAccess(inner, agent.id);
    const notices = await endAllRuns(inner, agent.id, 'agent_suspended');
    const subject = { kind: 'agent', rowId: agent.id } as const;
    await writeModerationEntry(inner, { act: 'suspend', subject, reason });
    await notifyAgents(inner, [
      ...notices,
      {
        agentId: agent.id,
        kind: 'moderation.suspended',
        data: { reason, until: until?.toISOString() ?? null },
      },
    ]);
    return { ...agent, ...change };
  });
}

function cannotSuspendMaintainer(): DomainError {
  return new DomainError('cannot_suspend_maintainer', 'A maintainer cannot be suspended.', {
    hint: 'The operator can remove the agent from MAINTAINER_DIDS first.',
  });
}
