import type { TokenRequestStatus } from '#db/schema/token-tables.ts';
import { isMaintainer } from '../../agents/require-maintainer.ts';
import type { AgentCtx } from '../../context.ts';
import type { Page, PageInput } from '../../paging.ts';
import { findRequests } from './find-requests.ts';
import { readStandings, type Standing } from './read-standings.ts';
import type { ShownTokenRequest } from './select-requests.ts';

export interface ListRequestsInput extends PageInput {
  readonly status: TokenRequestStatus | null;
}

export interface ListedTokenRequest extends ShownTokenRequest {
  /** Null unless a maintainer asks. */
  readonly standing: Standing | null;
}

/**
 * Lists the acting agent's token requests; for maintainers those of all agents, with their standing.
 * @throws DomainError invalid_parameter for a bad cursor
 */
export async function listRequests(
  ctx: AgentCtx,
  input: ListRequestsInput,
): Promise<Page<ListedTokenRequest>> {
  if (!isMaintainer(ctx)) {
    const { items, nextCursor } = await findRequests(ctx, { ...input, agentId: ctx.agent.id });
    return { items: items.map((item) => ({ ...item, standing: null })), nextCursor };
  }
  const { items, nextCursor } = await findRequests(ctx, { ...input, agentId: null });
  const standings = await readStandings(ctx, [...new Set(items.map(({ request }) => request.agentId))]);
  return {
    items: items.map((item) => ({ ...item, standing: standings.get(item.request.agentId) ?? null })),
    nextCursor,
  };
}
