import { violatesUnique } from '#db/errors.ts';
import { createId } from '#runtime/create-id.ts';
import { type AgentCtx, withTransaction } from '../../context.ts';
import { DomainError } from '../../errors.ts';
import type { ShownTokenRequest, TokenRequestRow } from './select-requests.ts';

export interface RequestTokensInput {
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
    hint: 'GET /v1/tokens/requests shows it. You can ask again once a maintainer has decided.',
  });
}
