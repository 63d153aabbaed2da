/**
 * Decides who is calling and whether they may: rate limit, bearer token (RFC 6750), maintainer list, operator key, inbox
 * key.
 */
import { invalidToken } from '#domain/agents/bearer-tokens.ts';
import {
  findActingAgents,
  findActingAgentsWithBalances,
  hashBearerToken,
  isWellFormedBearerToken,
  requireNotSuspended,
  type TokenBearer,
} from '#domain/agents/token-bearers.ts';
import { requireMaintainer } from '#domain/agents/maintainers.ts';
import type { BearerAgent, BearerCtx, Ctx } from '#domain/context.ts';
import { DomainError, type ErrorCode } from '#domain/errors.ts';
import type { Scope } from '#domain/oauth/scopes.ts';
import { operation } from '#domain/operation.ts';
import type { TokenBalance } from '#domain/tokens/read-balances.ts';
import { createBatcher } from '#runtime/loop-turns.ts';
import type { Cause } from '#runtime/tracing/log.ts';
import type { ApiDeps } from '../deps.ts';
import { type Endpoint, scopeOf } from '../endpoint.ts';
import { maySearch, requestTargetOf } from '../request/input.ts';
import type { RequireInboxKey, RequireOperator } from './key-gate.ts';
import { limiterOf, type RateLimiters } from './rate-limits.ts';

export interface IdentifiedCtx extends BearerCtx {
  /** See `Caller`. */
  readonly balance: TokenBalance | null;
}

/** Returns the context for the handler: with the agent if the endpoint requires one, otherwise null. */
type Identify = (
  request: Request,
  cause: Cause | undefined,
  isSearch: boolean,
) => Promise<IdentifiedCtx | null> | null;
type AgentIdentify = (...given: Parameters<Identify>) => Promise<IdentifiedCtx>;

/** What the steps of all endpoints share. */
export interface AccessStages {
  /** With the name under which the request calls a hub on this machine. */
  readonly ctxOf: (request: Request) => Ctx;
  readonly authenticate: Authenticate;
  readonly requireOperator: RequireOperator;
  readonly requireInboxKey: RequireInboxKey;
  /** Whether a request without credentials looks as if a program on this machine had sent it. */
  readonly isFromMachine: (request: Request) => boolean;
  readonly limiters: RateLimiters;
  readonly clientAddressOf: (request: Request) => string;
}

export function createIdentify(endpoint: Endpoint, stages: AccessStages): Identify {
  const { authenticate, ctxOf } = stages;
  const limiter = limiterOf(endpoint, stages.limiters);
  const searches = maySearch(endpoint) ? stages.limiters.searches : null;
  const options: AuthenticateOptions = {
    openToSuspended: endpoint.openToSuspended === true,
    withBalance: endpoint.withBalance === true,
    scope: endpoint.auth === 'none' ? null : scopeOf(endpoint),
  };
  const isLimited = (): boolean => limiter?.isOn() === true || searches?.isOn() === true;
  /** Counts a request against its agent, or against its network if it has no valid token. */
  const count = async (request: Request, agent: BearerAgent | null, isSearch: boolean): Promise<void> => {
    for (const one of isSearch ? [limiter, searches] : [limiter]) {
      if (agent !== null) await one?.countAgent(agent.id);
      else await one?.countNetwork(stages.clientAddressOf(request));
    }
  };
  const identifyAgent: AgentIdentify = async (request, cause, isSearch) => {
    let caller;
    try {
      caller = await authenticate(request, options);
    } catch (error) {
      // Requests without a valid token count against their network; otherwise guessing tokens would be free.
      await count(request, null, isSearch);
      throw error;
    }
    const { agent, balance } = caller;
    if (isLimited()) await count(request, agent, isSearch);
    const { db, clock, rules, publisher } = ctxOf(request);
    return { db, clock, rules, publisher, agent, balance, cause };
  };
  /** The caller of an endpoint that needs no token. */
  const identifyIfAgent = async (...[request, cause, isSearch]: Parameters<Identify>) => {
    if (!request.headers.has('authorization')) {
      await count(request, null, isSearch);
      return null;
    }
    try {
      return await identifyAgent(request, cause, isSearch);
    } catch (error) {
      // With a token that is wrong or of a suspended agent, the caller sees what everybody sees; the request has
      // already been counted.
      if (isRefusedToken(error)) return null;
      throw error;
    }
  };
  const countCaller = async (...[request, cause, isSearch]: Parameters<Identify>): Promise<null> => {
    // New agents have no token yet, and existing tokens must not allow more sign-ups.
    if (endpoint.rateLimit === 'registrations') await count(request, null, isSearch);
    else await identifyIfAgent(request, cause, isSearch);
    return null;
  };
  switch (endpoint.auth) {
    case 'none':
      return (...call) => (isLimited() ? countCaller(...call) : null);
    case 'operator':
    case 'inbox':
      return async (request) => {
        const clientAddress = stages.clientAddressOf(request);
        await limiter?.countNetwork(clientAddress);
        if (endpoint.auth === 'inbox') await stages.requireInboxKey(request, clientAddress);
        else if (endpoint.reportsToMachine === true && stages.isFromMachine(request))
          await stages.limiters.reads.countNetwork(clientAddress);
        else await stages.requireOperator(request, clientAddress);
        return null;
      };
    case 'optional':
      return identifyIfAgent;
    case 'agent':
      return identifyAgent;
    case 'maintainer':
      return async (request, cause, isSearch) => {
        const ctx = await identifyAgent(request, cause, isSearch);
        requireMaintainer(ctx);
        return ctx;
      };
  }
}

const codesOfRefusedTokens: readonly ErrorCode[] = ['missing_token', 'invalid_token', 'agent_suspended'];

function isRefusedToken(error: unknown): boolean {
  return error instanceof DomainError && codesOfRefusedTokens.includes(error.code);
}

interface AuthenticateOptions {
  /** Whether suspended agents are let through. */
  readonly openToSuspended: boolean;
  /** Whether to read the balance of the agent in the same statement, if it is simple. */
  readonly withBalance: boolean;
  /** What an OAuth client needs; null lets every valid token through. */
  readonly scope: Scope | null;
}

interface Caller {
  readonly agent: BearerAgent;
  /** Null if it was not asked for, or must be read on its own, because tokens are held or expire. */
  readonly balance: TokenBalance | null;
  /** What the agent granted to an OAuth client; null for a token of its own. */
  readonly scopes: readonly Scope[] | null;
}

/** The tokens of OAuth clients are for MCP only. */
type AccessWay = 'api' | 'mcp';

/** @throws DomainError missing_token, invalid_token, agent_suspended or insufficient_scope */
export type Authenticate = (request: Request, options: AuthenticateOptions) => Promise<Caller>;

const lookUpsPerQueryMax = 256;
const bearerPattern = /^bearer +(\S+) *$/i;

/**
 * Looks up concurrent requests in one query. Nothing is cached beyond a request, so that a revoked token, or the token of a
 * suspended agent, stops working in every process as soon as the change is committed.
 */
export function createAuthenticate(
  deps: Pick<ApiDeps, 'db' | 'clock' | 'tokenUsage'>,
  way: AccessWay,
): Authenticate {
  const plain = createLookUp((hashes) => findActingAgents(deps.db, hashes));
  const withBalances = createLookUp((hashes) => findActingAgentsWithBalances(deps.db, hashes));
  const find = async (request: Request, withBalance: boolean): Promise<FoundBearer> => {
    const token = bearerOf(request);
    if (!isWellFormedBearerToken(token)) throw invalidToken();
    const bearer = await (withBalance ? withBalances : plain).ask(hashBearerToken(token));
    if (bearer === null) throw invalidToken();
    return bearer;
  };
  const findFor = way === 'mcp' ? once(find) : find;
  return async (request, { openToSuspended, withBalance, scope }) => {
    const bearer = await findFor(request, withBalance);
    if (bearer.grant !== null) requireGranted(bearer.grant, way, scope, deps.clock.now());
    if (!openToSuspended) requireNotSuspended(bearer.suspension, deps.clock.now());
    deps.tokenUsage.note(bearer);
    return { agent: bearer.agent, balance: bearer.balance ?? null, scopes: bearer.grant?.scopes ?? null };
  };
}

/** A message of MCP is checked before the call that it makes, by the same agent. */
function once(find: (request: Request, withBalance: boolean) => Promise<FoundBearer>) {
  const found = new WeakMap<Request, Promise<FoundBearer>>();
  return (request: Request): Promise<FoundBearer> =>
    found.getOrInsertComputed(request, () => find(request, false));
}

function requireGranted(
  { scopes, expiresAt }: NonNullable<TokenBearer['grant']>,
  way: AccessWay,
  scope: Scope | null,
  now: Date,
): void {
  if (way === 'api') {
    throw new DomainError(
      'invalid_token',
      'This is the token of an OAuth client, which works for MCP only.',
      {
        hint: `Send it to /mcp or /mcp/me. For the HTTP API, the agent gets a token of its own with ${operation('logIn')}.`,
      },
    );
  }
  if (expiresAt <= now) throw invalidToken();
  if (scope !== null && !scopes.includes(scope)) throw insufficientScope(scope);
}

export function insufficientScope(scope: Scope): DomainError {
  return new DomainError(
    'insufficient_scope',
    `This needs the scope \`${scope}\`, which the agent did not grant.`,
  );
}

type FoundBearer = TokenBearer & { readonly balance?: TokenBalance | null };

function createLookUp(find: (hashes: readonly string[]) => Promise<ReadonlyMap<string, FoundBearer>>) {
  return createBatcher<string, FoundBearer | null>({
    maxBatch: lookUpsPerQueryMax,
    handle: async (hashes) => {
      const bearers = await find(hashes);
      return hashes.map((hash) => bearers.get(hash) ?? null);
    },
  });
}

/** @throws DomainError missing_token */
function bearerOf(request: Request): string {
  const header = request.headers.get('authorization');
  const token = header === null ? undefined : bearerPattern.exec(header)?.[1];
  if (token !== undefined) return token;
  const misplaced = findMisplacedToken(request, header);
  if (misplaced !== null) throw tokenMisplaced(misplaced);
  throw new DomainError(
    'missing_token',
    header === null
      ? 'This endpoint requires the header `Authorization: Bearer <token>`.'
      : 'The `Authorization` header must have the form `Bearer <token>`.',
    {
      hint:
        header === null
          ? `Sign up with ${operation('register')} and ${operation('verify')} to get a token.`
          : `Put the word \`Bearer\` and a space before the token. If you have lost it, get another with ${operation('logIn')}.`,
    },
  );
}

const tokenParameters = ['token', 'access_token', 'bearer_token', 'api_key', 'apikey', 'key'];
const tokenHeaders = ['x-api-key', 'x-auth-token', 'x-access-token'];

/** Where the request carries a token that is ignored there. */
function findMisplacedToken(request: Request, authorization: string | null): string | null {
  if (authorization !== null && /^basic\b/i.test(authorization)) return 'Basic credentials';
  const header = tokenHeaders.find((name) => request.headers.has(name));
  if (header !== undefined) return `the header \`${header}\``;
  const query = new URLSearchParams(requestTargetOf(request).query);
  const parameter = tokenParameters.find((name) => query.has(name));
  return parameter === undefined ? null : `the query parameter \`${parameter}\``;
}

/** The caller seems to have a token, so the hint never suggests another sign-up. */
function tokenMisplaced(place: string): DomainError {
  return new DomainError(
    'missing_token',
    `The token does not belong in ${place}, but in the header \`Authorization: Bearer <token>\`.`,
    { hint: `Move the token to that header. If you have lost it, get another with ${operation('logIn')}.` },
  );
}
