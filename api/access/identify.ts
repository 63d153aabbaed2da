/**
 * Decides who is calling and whether they may: rate limit, bearer token, maintainer list, operator key, inbox
 * key.
 */
import { requireMaintainer } from '#domain/agents/maintainers.ts';
import type { BearerAgent, BearerCtx } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import type { TokenBalance } from '#domain/tokens/read-balances.ts';
import type { Cause } from '#runtime/tracing/cause.ts';
import { type Endpoint, scopeOf } from '../endpoint.ts';
import type { Stages } from '../stages.ts';
import { limiterOf } from './rate-limits.ts';
import { maySearch } from './read-turns.ts';

/** Counts a request against its agent, or against its network if it has no valid token. */
type Count = (request: Request, agent: BearerAgent | null) => Promise<void>;

export interface IdentifiedCtx extends BearerCtx {
  /** See `Caller`. */
  readonly balance: TokenBalance | null;
}

/** Returns the context for the handler: with the agent if the endpoint requires one, otherwise null. */
export type Identify = (
  request: Request,
  cause: Cause | undefined,
  isSearch: boolean,
) => Promise<IdentifiedCtx | null> | null;

export function createIdentify(endpoint: Endpoint, stages: Stages): Identify {
  const limiter = limiterOf(endpoint, stages.limiters);
  const searches = maySearch(endpoint) ? stages.limiters.searches : null;
  const counting =
    (isSearch: boolean): Count =>
    async (request, agent) => {
      const limiters = searches !== null && isSearch ? [limiter, searches] : [limiter];
      for (const one of limiters) {
        if (agent !== null) await one?.countAgent(agent.id);
        else await one?.countNetwork(stages.clientAddressOf(request));
      }
    };
  switch (endpoint.auth) {
    case 'none':
      return (request, _cause, isSearch) => {
        if (limiter?.isOn() !== true && searches?.isOn() !== true) return null;
        return countCaller(request, counting(isSearch), stages, endpoint);
      };
    case 'operator':
      return async (request) => {
        const clientAddress = stages.clientAddressOf(request);
        await limiter?.countNetwork(clientAddress);
        if (endpoint.reportsToMachine === true && stages.isFromMachine(request))
          await stages.limiters.reads?.countNetwork(clientAddress);
        else await stages.requireOperator(request, clientAddress);
        return null;
      };
    case 'inbox':
      return async (request) => {
        const clientAddress = stages.clientAddressOf(request);
        await limiter?.countNetwork(clientAddress);
        await stages.requireInboxKey(request, clientAddress);
        return null;
      };
    case 'optional':
      return async (request, cause, isSearch) => {
        if (!request.headers.has('authorization')) {
          await counting(isSearch)(request, null);
          return null;
        }
        try {
          return await identifyAgent(request, cause, counting(isSearch), stages, endpoint);
        } catch (error) {
          // With a wrong token, the caller sees what everybody sees; the request has already been counted.
          if (isWrongToken(error)) return null;
          throw error;
        }
      };
    case 'agent':
      return (request, cause, isSearch) =>
        identifyAgent(request, cause, counting(isSearch), stages, endpoint);
    case 'maintainer':
      return async (request, cause, isSearch) => {
        const ctx = await identifyAgent(request, cause, counting(isSearch), stages, endpoint);
        requireMaintainer(ctx);
        return ctx;
      };
  }
}

async function countCaller(
  request: Request,
  count: Count,
  stages: Stages,
  endpoint: Endpoint,
): Promise<null> {
  // New agents have no token yet, and existing tokens must not allow more sign-ups.
  const isForAgents = endpoint.rateLimit !== 'registrations';
  await count(request, isForAgents ? await agentOf(request, stages, endpoint) : null);
  return null;
}

/** The agent of a request that needs no token; null without a valid one. */
async function agentOf(
  request: Request,
  { authenticate }: Stages,
  endpoint: Pick<Endpoint, 'scope' | 'method'>,
): Promise<BearerAgent | null> {
  if (!request.headers.has('authorization')) return null;
  try {
    const caller = await authenticate(request, {
      openToSuspended: false,
      withBalance: false,
      scope: scopeOf(endpoint),
    });
    return caller.agent;
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
}

function isWrongToken(error: unknown): boolean {
  return error instanceof DomainError && (error.code === 'invalid_token' || error.code === 'missing_token');
}

async function identifyAgent(
  request: Request,
  cause: Cause | undefined,
  count: Count,
  { authenticate, ctxOf }: Stages,
  endpoint: Endpoint,
): Promise<IdentifiedCtx> {
  let caller;
  try {
    caller = await authenticate(request, {
      openToSuspended: endpoint.openToSuspended === true,
      withBalance: endpoint.withBalance === true,
      scope: scopeOf(endpoint),
    });
  } catch (error) {
    // Requests without a valid token count against their network; otherwise guessing tokens would be free.
    await count(request, null);
    throw error;
  }
  const { agent, balance } = caller;
  await count(request, agent);
  const { db, clock, rules, publisher } = ctxOf(request);
  return { db, clock, rules, publisher, agent, balance, cause };
}
