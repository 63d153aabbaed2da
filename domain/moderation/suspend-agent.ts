/**
 * A maintainer suspends an agent: its tokens stop working, and its open runs end and are refunded.
 * `actors/give-seats-back.ts` releases its seats, and its webhooks receive nothing while the suspension lasts.
 */
import { and, desc, eq } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { isOpenAccount } from '#db/schema/index-conditions.ts';
import { signalLostAccess } from '../agents/bearer-tokens.ts';
import { type AgentRow, holdAgentByHandle, requireAgent } from '../agents/find-agent.ts';
import { isMaintainerDid, requireMaintainer } from '../agents/maintainers.ts';
import { isSuspended, isSuspendedAt } from '../agents/token-bearers.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { newestFirst, type Page, type PageInput } from '../paging.ts';
import { requireFuture } from '../require-future.ts';
import { endOpenRuns, lockRunsAndAccount } from '../runs/settle-run.ts';
import { endKeySessions } from '../sessions/key-sign-in.ts';
import { writeModerationEntry } from './moderation-log.ts';

interface SuspendAgentInput {
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
    await lockRunsAndAccount(inner, (await requireAgent(inner.db, handle)).id);
    const agent = await holdAgentByHandle(inner, handle);
    if (isMaintainerDid(inner.rules, agent)) throw cannotSuspendMaintainer();
    const now = inner.clock.now();
    if (isSuspended(agent, now)) return agent;
    const change = { suspendedAt: now, suspendedUntil: until };
    await inner.db.query.update(agents).set(change).where(eq(agents.id, agent.id));
    await endKeySessions(inner, agent.id);
    signalLostAccess(inner, agent.id);
    const notices = await endOpenRuns(inner, agent.id, 'agent_suspended');
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
    hint: 'The operator can dismiss it first, with `hub maintainers remove`.',
  });
}

/**
 * A maintainer ends a suspension. Runs and seats that the suspension ended are not restored.
 * Reinstating an agent that is not suspended changes nothing.
 * @returns the agent's row
 * @throws DomainError maintainer_only, unknown_handle
 */
export async function reinstateAgent(
  ctx: AgentCtx,
  { handle, reason }: { readonly handle: string; readonly reason: string | null },
): Promise<AgentRow> {
  requireMaintainer(ctx);
  return withTransaction(ctx, async (inner) => {
    const { agents } = inner.db.tables;
    const agent = await holdAgentByHandle(inner, handle);
    if (!isSuspended(agent, inner.clock.now())) return agent;
    const change = { suspendedAt: null, suspendedUntil: null };
    await inner.db.query.update(agents).set(change).where(eq(agents.id, agent.id));
    const subject = { kind: 'agent', rowId: agent.id } as const;
    await writeModerationEntry(inner, { act: 'reinstate', subject, reason });
    await notifyAgents(inner, [{ agentId: agent.id, kind: 'moderation.reinstated', data: { reason } }]);
    return { ...agent, ...change };
  });
}

export interface SuspendedAgent {
  readonly agent: AgentRow;
  readonly reason: string | null;
}

/**
 * Lists the suspended agents, with the maintainer's reason.
 * The newest agents first.
 * @throws DomainError maintainer_only; invalid_parameter for a bad cursor
 */
export async function listSuspendedAgents(ctx: AgentCtx, input: PageInput): Promise<Page<SuspendedAgent>> {
  requireMaintainer(ctx);
  const { agents, moderationEntries } = ctx.db.tables;
  const acts = alias(moderationEntries, 'acts');
  const lastSuspension = ctx.db.query
    .select({ id: acts.id })
    .from(acts)
    .where(and(eq(acts.subjectId, agents.id), eq(acts.act, 'suspend')))
    .orderBy(desc(acts.id))
    .limit(1);
  return newestFirst('suspended', input, agents.id, (isOnPage) =>
    ctx.db.query
      .select({ id: agents.id, agent: agents, reason: moderationEntries.reason })
      .from(agents)
      .leftJoin(moderationEntries, eq(moderationEntries.id, lastSuspension))
      .where(and(isSuspendedAt(agents, ctx.clock.now()), isOpenAccount(agents), isOnPage)),
  );
}
