/**
 * Decides who is calling and whether they may: rate limit, bearer token, maintainer list, operator key, inbox
 * key.
 */
import { requireMaintainer } from '#domain/agents/require-maintainer.ts';
import type { BearerCtx } from '#domain/context.ts';
import type { Cause } from '#runtime/tracing/cause.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Stages } from '../stages.ts';
import { limiterOf } from './rate-limits.ts';

/** Returns the context for the handler: with the agent if the endpoint requires one, otherwise null. */
export type Identify = (request: Request, cause: Cause | undefined) => Promise<BearerCtx | null> | null;

export function createIdentify(endpoint: Endpoint, stages: Stages): Identify {
  const limiter = limiterOf(endpoint, stages.limiters);
  switch (endpoint.auth) {
    case 'none':
      if (limiter === null) return () => null;
      return async (request) => {
        await limiter.countNetwork(stages.clientAddressOf(request));
        return null;
      };
    case 'operator':
      return async (request) => {
        const clientAddress = stages.clientAddressOf(request);
        await limiter?.countNetwork(clientAddress);
        await stages.requireOperator(request, { peer: stages.peerOf(request), clientAddress });
        return null;
      };
    case 'inbox':
      return async (request) => {
        const clientAddress = stages.clientAddressOf(request);
        await limiter?.countNetwork(clientAddress);
        await stages.requireInboxKey(request, clientAddress);
        return null;
      };
    case 'agent':
      return (request, cause) => identifyAgent(request, cause, limiter, stages);
    case 'maintainer':
      return async (request, cause) => {
        const ctx = await identifyAgent(request, cause, limiter, stages);
        requireMaintainer(ctx);
        return ctx;
      };
  }
}

async function identifyAgent(
  request: Request,
  cause: Cause | undefined,
  limiter: ReturnType<typeof limiterOf>,
  { authenticate, clientAddressOf, ctx }: Stages,
): Promise<BearerCtx> {
  let agent;
  try {
    agent = await authenticate(request);
  } catch (error) {
    // Requests without a valid token count against their network; otherwise guessing tokens would be free.
    await limiter?.countNetwork(clientAddressOf(request));
    throw error;
  }
  await limiter?.countToken(agent.tokenId);
  return { db: ctx.db, clock: ctx.clock, rules: ctx.rules, publisher: ctx.publisher, agent, cause };
}
