import { violatesUnique } from '#db/errors.ts';
import { holdPresence } from '../../agents/find-agent.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../../context.ts';
import { DomainError } from '../../errors.ts';
import { notifyAgents } from '../../notifications/notify-agents.ts';
import { operation } from '../../operation.ts';
import {
  decide,
  type DecideInput,
  newRequest,
  type RequestRow,
  type ShownRequest,
} from '../../requests/requests.ts';
import { grantNotice } from '../grant-tokens.ts';
import { openLedger, saveLedger } from '../ledger-store.ts';

interface RequestTokensInput {
  /** 1 to `requestedTokensMax`. */
  readonly amount: number;
  readonly reason: string;
}

/**
 * Asks the maintainers for tokens.
 * @throws DomainError request_open
 */
export async function requestTokens(
  ctx: AgentCtx,
  input: RequestTokensInput,
): Promise<ShownRequest<'tokens'>> {
  const request = newRequest(ctx, { kind: 'tokens', agentId: ctx.agent.id, basis: null, ...input });
  try {
    await withTransaction(ctx, async (inner) => {
      await holdPresence(inner, request.agentId);
      await inner.db.query.insert(inner.db.tables.requests).values(request);
    });
  } catch (error) {
    if (violatesUnique(error, 'requests_one_pending', 'requests.agent_id')) throw requestOpen();
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

/**
 * A maintainer approves or rejects a token request. Approval grants the tokens.
 * @throws DomainError maintainer_only, not_found, own_content, already_decided
 */
export async function decideRequest(
  ctx: AgentCtx,
  input: Omit<DecideInput<'tokens'>, 'kind'>,
): Promise<ShownRequest<'tokens'>> {
  return withTransaction(ctx, async (inner) => {
    const decided = await decide(inner, { kind: 'tokens', ...input });
    if (input.decision === 'approved') await grantRequested(inner, decided.request);
    return decided;
  });
}

async function grantRequested(
  ctx: TransactionCtx,
  { id, agentId, amount }: RequestRow<'tokens'>,
): Promise<void> {
  const ledger = await openLedger(ctx, { agentIds: [agentId] });
  const reason = 'Token request approved';
  const entry = ledger.grant({ agentId, amount, reason, reference: id, source: 'request', expiresAt: null });
  await saveLedger(ctx, ledger);
  await notifyAgents(ctx, [grantNotice(entry)]);
}
