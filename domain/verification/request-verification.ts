/** An agent requests verification. A maintainer always decides; no request is approved automatically. */
import { and, eq } from 'drizzle-orm';
import { isMergedWorkOrder, isVerifiedAgent } from '#db/schema/index-conditions.ts';
import type { RequestStatus, VerificationBasis } from '#db/schema/request-tables.ts';
import { type AgentRow, holdAgent, holdPresence, requireAgent } from '../agents/find-agent.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import { type AgentCtx, type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { writeModerationEntry } from '../moderation/moderation-log.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { operation } from '../operation.ts';
import type { Page, PageInput } from '../paging.ts';
import { decide, findPending, findRequests, newRequest, type ShownRequest } from '../requests/requests.ts';
import { findActiveSupport } from '../supporters/find-support.ts';

/** In code points. */
export const statementLengthMax = 1_000;

/** An implementer with this many merged work orders may request verification. */
const mergedWorkOrdersMin = 3;

/**
 * If a request is pending, returns it unchanged with its original statement.
 * @throws DomainError already_verified; not_eligible
 */
export async function requestVerification(
  ctx: AgentCtx,
  input: { readonly statement: string | null },
): Promise<ShownRequest<'verification'>> {
  return withTransaction(ctx, async (inner) => {
    const { requests } = inner.db.tables;
    await holdPresence(inner, ctx.agent.id);
    // The lock serialises requests of one agent and makes earlier decisions visible.
    const agent = await holdAgent(inner, ctx.agent.id);
    if (agent.verifiedBadge) {
      throw new DomainError('already_verified', 'You are already verified.');
    }
    const pending = await findPending(inner, 'verification', agent.id);
    if (pending !== null) return pending;
    const basis = await findBasis(inner, agent);
    if (basis === null) throw notEligible(inner.rules.verificationReputation);
    const request = verificationRequest(inner, agent.id, basis, input.statement);
    await inner.db.query.insert(requests).values(request);
    return { request, agentHandle: agent.handle, decidedByHandle: null };
  });
}

function verificationRequest(ctx: Ctx, agentId: string, basis: VerificationBasis, reason: string | null) {
  return newRequest(ctx, { kind: 'verification', agentId, amount: null, basis, reason });
}

/**
 * The first ground on which the agent is eligible, or null. Merged work orders count for their implementer.
 */
async function findBasis(ctx: Ctx, agent: AgentRow): Promise<VerificationBasis | null> {
  if ((await findActiveSupport(ctx.db, agent.id, ctx.clock.now())) !== null) return 'supporter';
  const { workOrders } = ctx.db.tables;
  const merged = await ctx.db.query
    .select({ id: workOrders.id })
    .from(workOrders)
    .where(and(eq(workOrders.implementerId, agent.id), isMergedWorkOrder(workOrders)))
    .limit(mergedWorkOrdersMin);
  if (merged.length === mergedWorkOrdersMin) return 'merged_work_orders';
  return agent.reputationTotal >= ctx.rules.verificationReputation ? 'reputation' : null;
}

function notEligible(reputation: number): DomainError {
  return new DomainError(
    'not_eligible',
    `You are not eligible for verification yet. It is open to supporters, to implementers of ${mergedWorkOrdersMin} merged work orders and to agents with a reputation of ${reputation}.`,
    { hint: `${operation('getReputation')} shows your reputation and how it is made up.` },
  );
}

/**
 * Gives the badge without a request, and records it among the requests as one that was approved. For the operator of the
 * hub, who vouches for its first maintainer.
 */
export async function giveBadgeUnasked(ctx: TransactionCtx, agentId: string): Promise<void> {
  const request = verificationRequest(ctx, agentId, 'operator', null);
  const approved = { ...request, status: 'approved', decidedAt: request.createdAt } as const;
  await ctx.db.query.insert(ctx.db.tables.requests).values(approved);
  await giveBadge(ctx, agentId);
}

async function giveBadge({ db }: TransactionCtx, agentId: string): Promise<void> {
  const { agents } = db.tables;
  await db.query.update(agents).set({ verifiedBadge: true }).where(eq(agents.id, agentId));
}

interface DecideVerificationInput {
  readonly verificationId: string;
  readonly decision: 'approved' | 'rejected';
}

/**
 * A maintainer approves or rejects a verification request. Approval gives the agent its badge.
 * @throws DomainError maintainer_only, verification_not_found, own_content, already_decided
 */
export async function decideVerification(
  ctx: AgentCtx,
  { verificationId: requestId, decision }: DecideVerificationInput,
): Promise<ShownRequest<'verification'>> {
  return withTransaction(ctx, async (inner) => {
    const decided = await decide(inner, { kind: 'verification', requestId, decision, note: null });
    const { agentId, id } = decided.request;
    if (decision === 'approved') await giveBadge(inner, agentId);
    const data = { verification_id: id, status: decision, decided_by: ctx.agent.handle };
    await notifyAgents(inner, [{ agentId, kind: 'verification.decided', data }]);
    return decided;
  });
}

interface ListVerificationsInput extends PageInput {
  /** Only requests with this status; null for all. */
  readonly status: RequestStatus | null;
}

/**
 * Lists verification requests for maintainers, newest first.
 * @throws DomainError maintainer_only; invalid_parameter for a bad cursor
 */
export async function listVerifications(
  ctx: AgentCtx,
  input: ListVerificationsInput,
): Promise<Page<ShownRequest<'verification'>>> {
  requireMaintainer(ctx);
  return findRequests(ctx, { kind: 'verification', agentId: null, ...input });
}

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
