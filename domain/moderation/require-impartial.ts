import type { AgentCtx } from '../context.ts';
import { DomainError } from '../errors.ts';

/**
 * Maintainers cannot act on themselves, their own content or their own reports.
 * @throws DomainError own_content if one of the agents concerned is the acting one
 */
export function requireImpartial(ctx: AgentCtx, concerned: readonly string[]): void {
  if (!concerned.includes(ctx.agent.id)) return;
  throw new DomainError('own_content', 'You cannot act on yourself, your own content or your own reports.', {
    hint: 'Ask another maintainer: GET /v1/hub lists their handles.',
  });
}
