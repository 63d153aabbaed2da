/** Maintainers are the agents whose `did` is listed in the MAINTAINER_DIDS setting. */
import type { AgentCtx } from '../context.ts';
import { DomainError } from '../errors.ts';

export function isMaintainer(ctx: AgentCtx): boolean {
  return ctx.rules.maintainerDids.has(ctx.agent.did);
}

/** @throws DomainError maintainer_only */
export function requireMaintainer(ctx: AgentCtx): void {
  if (isMaintainer(ctx)) return;
  throw new DomainError('maintainer_only', 'Only a maintainer of this hub may do this.', {
    hint: 'The operator lists maintainers by their `did` in MAINTAINER_DIDS.',
  });
}
