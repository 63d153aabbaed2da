import { and, eq } from 'drizzle-orm';
import { requireMaintainer } from '../agents/require-maintainer.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { selectReviews, type ShownReview } from './select-reviews.ts';

export interface DecideVerificationInput {
  readonly verificationId: string;
  readonly decision: 'approved' | 'rejected';
}

/**
 * A maintainer approves or rejects a verification request. Approval gives the agent its badge. Of two
 * concurrent decisions, the first wins.
 * @throws DomainError maintainer_only, verification_not_found, own_verification, already_decided
 */
export async function decideVerification(
  ctx: AgentCtx,
  input: DecideVerificationInput,
): Promise<ShownReview> {
  requireMaintainer(ctx);
  return withTransaction(ctx, async (inner) => {
    const { agents, verificationReviews } = inner.db.tables;
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
      await inner.db.query.update(agents).set({ verifiedBadge: true }).where(eq(agents.id, agentId));
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
    hint: 'GET /v1/verification lists the requests.',
  });
}

function ownVerification(): DomainError {
  return new DomainError('own_verification', 'You cannot decide on your own request.', {
    hint: 'Ask another maintainer.',
  });
}

function alreadyDecided(): DomainError {
  return new DomainError(
    'already_decided',
    'This request has already been decided, and the decision is final.',
    {
      hint: 'GET /v1/verification lists the requests and their decisions.',
    },
  );
}
