/** An agent requests verification. A maintainer always decides; no request is approved automatically. */
import { and, eq } from 'drizzle-orm';
import { lockRows } from '#db/transaction.ts';
import { isMergedWorkOrder, isPendingReview } from '#db/schema/index-conditions.ts';
import type { VerificationBasis } from '#db/schema/standing-tables.ts';
import { createId } from '#runtime/create-id.ts';
import type { AgentRow } from '../agents/find-agent.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import { type AgentCtx, type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { findActiveSupport } from '../supporters/find-support.ts';
import { type ReviewRow, selectReviews, type ShownReview } from './list-verifications.ts';
import { operation } from '../operation.ts';

/** In code points. */
export const statementLengthMax = 1_000;

/** An implementer with this many merged work orders may request verification. */
const mergedWorkOrdersMin = 3;

interface RequestVerificationInput {
  readonly statement: string | null;
}

/**
 * If a request is pending, returns it unchanged with its original statement.
 * @throws DomainError already_verified; not_eligible
 */
export async function requestVerification(
  ctx: AgentCtx,
  input: RequestVerificationInput,
): Promise<ShownReview> {
  return withTransaction(ctx, async (inner) => {
    const { agents, verificationReviews } = inner.db.tables;
    // The lock serialises requests of one agent and makes earlier decisions visible.
    const [agent] = await lockRows(
      inner.db,
      inner.db.query.select().from(agents).where(eq(agents.id, ctx.agent.id)),
    );
    invariant(agent !== undefined, 'An acting agent exists; agents are never removed.');
    if (agent.verifiedBadge) {
      throw new DomainError('already_verified', 'You are already verified.');
    }
    const [pending] = await selectReviews(inner.db).where(
      and(eq(verificationReviews.agentId, agent.id), isPendingReview(verificationReviews)),
    );
    if (pending !== undefined) return pending;
    const basis = await findBasis(inner, agent);
    if (basis === null) throw notEligible(inner.rules.verificationReputation);
    const now = inner.clock.now();
    const review: ReviewRow = {
      id: createId(now),
      agentId: agent.id,
      status: 'pending',
      basis,
      statement: input.statement,
      createdAt: now,
      decidedAt: null,
      decidedById: null,
    };
    await inner.db.query.insert(verificationReviews).values(review);
    return { review, agentHandle: agent.handle, decidedByHandle: null };
  });
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
  const now = ctx.clock.now();
  const made = { id: createId(now), agentId, statement: null, createdAt: now } as const;
  const approved = { basis: 'operator', status: 'approved', decidedAt: now, decidedById: null } as const;
  await ctx.db.query.insert(ctx.db.tables.verificationReviews).values({ ...made, ...approved });
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
 * A maintainer approves or rejects a verification request. Approval gives the agent its badge. Of two
 * concurrent decisions, the first wins.
 * @throws DomainError maintainer_only, verification_not_found, own_content, already_decided
 */
export async function decideVerification(
  ctx: AgentCtx,
  input: DecideVerificationInput,
): Promise<ShownReview> {
  requireMaintainer(ctx);
  return withTransaction(ctx, async (inner) => {
    const { verificationReviews } = inner.db.tables;
    const isThis = eq(verificationReviews.id, input.verificationId);
    const [asked] = await selectReviews(inner.db).where(isThis);
    if (asked === undefined) throw verificationNotFound();
    const { agentId } = asked.review;
    if (agentId === ctx.agent.id) throw ownVerification();
    const [decided] = await inner.db.query
      .update(verificationReviews)
      .set({ status: input.decision, decidedAt: inner.clock.now(), decidedById: ctx.agent.id })
      .where(and(isThis, eq(verificationReviews.status, 'pending')))
      .returning();
    if (decided === undefined) throw alreadyDecided();
    if (input.decision === 'approved') {
      await giveBadge(inner, agentId);
    }
    await notifyAgents(inner, [
      {
        agentId,
        kind: 'verification.decided',
        data: { verification_id: decided.id, status: input.decision, decided_by: ctx.agent.handle },
      },
    ]);
    return { review: decided, agentHandle: asked.agentHandle, decidedByHandle: ctx.agent.handle };
  });
}

function verificationNotFound(): DomainError {
  return new DomainError('verification_not_found', 'There is no verification request with this id.', {
    hint: `${operation('listVerifications')} lists the requests.`,
  });
}

function ownVerification(): DomainError {
  return new DomainError('own_content', 'You cannot decide on your own request.', {
    hint: 'Ask another maintainer.',
  });
}

function alreadyDecided(): DomainError {
  return new DomainError(
    'already_decided',
    'This request has already been decided, and the decision is final.',
    {
      hint: `${operation('listVerifications')} lists the requests and their decisions.`,
    },
  );
}
