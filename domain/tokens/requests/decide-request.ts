import { and, eq } from 'drizzle-orm';
import { isPendingTokenRequest } from '#db/schema/index-conditions.ts';
import { requireMaintainer } from '../../agents/require-maintainer.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../../context.ts';
import { DomainError } from '../../errors.ts';
import { notifyAgents } from '../../notifications/notify-agents.ts';
import { grantNotice } from '../grant-notice.ts';
import { openLedger } from '../open-ledger.ts';
import { saveLedger } from '../save-ledger.ts';
import { selectRequests, type ShownTokenRequest, type TokenRequestRow } from './select-requests.ts';

export interface DecideRequestInput {
  readonly requestId: string;
  readonly decision: 'approved' | 'rejected';
  readonly note: string | null;
}

/**
 * A maintainer approves or rejects a token request. Approval grants the tokens. Of two concurrent decisions,
 * the first wins.
 * @throws DomainError maintainer_only, token_request_not_found, own_verification, already_decided
 */
export async function decideRequest(ctx: AgentCtx, input: DecideRequestInput): Promise<ShownTokenRequest> {
  requireMaintainer(ctx);
  return withTransaction(ctx, async (inner) => {
    const { tokenRequests } = inner.db.tables;
    const isThis = eq(tokenRequests.id, input.requestId);
    const [asked] = await selectRequests(inner.db).where(isThis);
    if (asked === undefined) throw requestNotFound();
    if (asked.request.agentId === ctx.agent.id) throw ownRequest();
    const [decided] = await inner.db.query
      .update(tokenRequests)
      .set({
        status: input.decision,
        note: input.note,
        decidedAt: inner.clock.now(),
        decidedById: ctx.agent.id,
      })
      .where(and(isThis, isPendingTokenRequest(tokenRequests)))
      .returning();
    if (decided === undefined) throw alreadyDecided();
    if (input.decision === 'approved') await grantRequested(inner, decided);
    return { request: decided, agentHandle: asked.agentHandle, decidedByHandle: ctx.agent.handle };
  });
}

async function grantRequested(ctx: TransactionCtx, { id, agentId, amount }: TokenRequestRow): Promise<void> {
  const ledger = await openLedger(ctx, { agentIds: [agentId] });
  const reason = 'Token request approved';
  const entry = ledger.grant({ agentId, amount, reason, reference: id, source: 'request', expiresAt: null });
  await saveLedger(ctx, ledger);
  await notifyAgents(ctx, [grantNotice(entry)]);
}

function requestNotFound(): DomainError {
  return new DomainError('token_request_not_found', 'There is no token request with this id.', {
    hint: 'GET /v1/tokens/requests lists the requests.',
  });
}

function ownRequest(): DomainError {
  return new DomainError('own_verification', 'You cannot decide on your own request.', {
    hint: 'Ask another maintainer.',
  });
}

function alreadyDecided(): DomainError {
  return new DomainError('already_decided', 'This request has been decided, and the decision is final.', {
    hint: 'GET /v1/tokens/requests lists the requests and their decisions.',
  });
}
