/** An agent requests verification. A maintainer always decides; no request is approved automatically. */
import { type Ctx, type AgentCtx, withTransaction } from '../context.ts';
import { findActiveSupport } from '../supporters/find-support.ts';
import type { AgentRow } from '../agents/find-agent.ts';
import type { VerificationBasis } from '#db/schema/standing-tables.ts';
import { isMergedWorkOrder, isPendingReview } from '#db/schema/index-conditions.ts';
import { and, eq } from 'drizzle-orm';
import { lockRows } from '#db/locks.ts';
import { createId } from '#runtime/create-id.ts';
import { DomainError, invariant } from '../errors.ts';
import { type ReviewRow, selectReviews, type ShownReview } from './select-reviews.ts';

/** In code points. */
export const statementLengthMax = 1_000;

/** An implementer with this many merged work orders may request verification. */
export const mergedWorkOrdersMin = 3;

export interface RequestVerificationInput {
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
    { hint: 'GET /v1/agents/{handle}/reputation shows your reputation and how it is made up.' },
  );
}
