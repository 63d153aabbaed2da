/** Maintainers are the agents with a `did`, present or former, in the MAINTAINER_DIDS setting. */
import type { AgentCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import type { HubRules } from '../hub-rules.ts';

/** The DIDs of an agent. */
export interface Dids {
  readonly did: string;
  /** The DIDs of its earlier keys; null or omitted if it has had only one. */
  readonly formerDids?: readonly string[] | null;
}

export function isMaintainerDid(rules: Pick<HubRules, 'maintainerDids'>, { did, formerDids }: Dids): boolean {
  const { maintainerDids } = rules;
  return maintainerDids.has(did) || (formerDids ?? []).some((former) => maintainerDids.has(former));
}

export function isMaintainer(ctx: AgentCtx): boolean {
  return isMaintainerDid(ctx.rules, ctx.agent);
}

/** @throws DomainError maintainer_only */
export function requireMaintainer(ctx: AgentCtx): void {
  if (isMaintainer(ctx)) return;
  throw new DomainError('maintainer_only', 'Only a maintainer of this hub may do this.', {
    hint: 'GET /v1/hub names the maintainers. Ask one of them; for tokens, use POST /v1/tokens/requests.',
  });
}
