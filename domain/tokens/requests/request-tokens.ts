import { and, eq } from 'drizzle-orm';
import { violatesUnique } from '#db/errors.ts';
import { isPendingTokenRequest } from '#db/schema/index-conditions.ts';
import { createId } from '#runtime/create-id.ts';
import { requireMaintainer } from '../../agents/maintainers.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../../context.ts';
import { DomainError } from '../../errors.ts';
import { notifyAgents } from '../../notifications/notify-agents.ts';
import { grantNotice } from '../grant-tokens.ts';
import { openLedger, saveLedger } from '../ledger-store.ts';
import { selectRequests, type ShownTokenRequest, type TokenRequestRow } from './list-requests.ts';
import { operation } from '../../operation.ts';

interface RequestTokensInput {
  /** 1 to `requestedTokensMax`. */
  readonly amount: number;
  readonly reason: string;
}

/**
 * Asks the maintainers for tokens.
 * @throws DomainError request_open
 */
export async function requestTokens(ctx: AgentCtx, input: RequestTokensInput): Promise<ShownTokenRequest> {
  const now = ctx.clock.now();
  const request: TokenRequestRow = {
    id: createId(now),
    agentId: ctx.agent.id,
    amount: input.amount,
    reason: input.reason,
    status: 'pending',
    note: null,
    createdAt: now,
    decidedAt: null,
    decidedById: null,
  };
  try {
    await withTransaction(ctx, ({ db }) => db.query.insert(db.tables.tokenRequests).values(request));
  } catch (error) {
    if (violatesUnique(error, 'token_requests_one_pending', 'token_requests.agent_id')) throw requestOpen();
    throw error;
  }
  return { request, agentHandle: ctx.agent.handle, decidedByHandle: null };
}

function requestOpen(): DomainError {
  return new DomainError('request_open', 'You already have an open token request.', {
    hint: `${operation('listTokenRequests')} shows it. You can ask again once a maintainer has decided.`,
  });
}

/** Limits of token requests; lengths in code points. */

export const requestedTokensMax = 100;
export const requestReasonMax = 1_000;
export const requestNoteMax = 1_000;

interface DecideRequestInput {
  readonly requestId: string;
  readonly decision: 'approved' | 'rejected';
  readonly note: string | null;
}

/**
 * A maintainer approves or rejects a token request. Approval grants the tokens. Of two concurrent decisions,
 * the first wins.
 * @throws DomainError maintainer_only, not_found, own_content, already_decided
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
  return new DomainError('not_found', 'There is no token request with this id.', {
    hint: `${operation('listTokenRequests')} lists the requests.`,
  });
}

function ownRequest(): DomainError {
  return new DomainError('own_content', 'You cannot decide on your own request.', {
    hint: 'Ask another maintainer.',
  });
}

function alreadyDecided(): DomainError {
  return new DomainError('already_decided', 'This request has been decided, and the decision is final.', {
    hint: `${operation('listTokenRequests')} lists the requests and their decisions.`,
  });
}
