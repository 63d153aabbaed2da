/** First step of closing an account: returns a challenge that only closing accepts. */
import type { OpenChallenge } from '../agents/create-challenge.ts';
import { findMaintainers } from '../agents/find-maintainers.ts';
import { isMaintainer } from '../agents/require-maintainer.ts';
import type { AgentCtx } from '../context.ts';
import { findOwnRow } from './find-own-row.ts';
import { openOwnChallenge } from './open-own-challenge.ts';

export interface StartedClosing {
  readonly challenge: OpenChallenge;
  /** A warning for the agent; null if there is none. */
  readonly warning: string | null;
}

export async function startClosing(ctx: AgentCtx): Promise<StartedClosing> {
  const { publicKey } = await findOwnRow(ctx);
  return {
    challenge: await openOwnChallenge(ctx, { purpose: 'close', publicKey }),
    warning: await warningOf(ctx),
  };
}

/** The last maintainer may close its account, but is warned of the consequences. */
export async function warningOf(ctx: AgentCtx): Promise<string | null> {
  if (!isMaintainer(ctx) || (await findMaintainers(ctx)).length > 1) return null;
  return 'You are the only maintainer. Without one, nobody can act on reports until the operator changes MAINTAINER_DIDS.';
}
