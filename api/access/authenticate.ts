/** Finds the agent behind the bearer token of a request (RFC 6750). */
import { findActingAgents, type TokenBearer } from '#domain/agents/bearer-tokens/find-acting-agents.ts';
import { hashBearerToken, isWellFormedBearerToken } from '#domain/agents/keys/bearer-token.ts';
import type { BearerAgent } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { createBatcher } from '#runtime/batcher.ts';
import type { ApiDeps } from '../deps.ts';

/** @throws DomainError missing_token or invalid_token */
export type Authenticate = (request: Request) => Promise<BearerAgent>;

const lookUpsPerQueryMax = 256;
const bearerPattern = /^bearer +(\S+) *$/i;

/**
 * Looks up concurrent requests in one query. Nothing is cached, so that a revoked token stops working in
 * every process as soon as the revocation is committed.
 */
export function createAuthenticate(deps: Pick<ApiDeps, 'db' | 'tokenUsage'>): Authenticate {
  const lookUp = createBatcher<string, TokenBearer | null>({
    maxBatch: lookUpsPerQueryMax,
    handle: async (hashes) => {
      const bearers = await findActingAgents(deps.db, hashes);
      return hashes.map((hash) => bearers.get(hash) ?? null);
    },
  });
  return async (request) => {
    const token = bearerOf(request);
    // The same message for every kind of invalid token, so that nobody learns which tokens once existed.
    if (!isWellFormedBearerToken(token)) throw invalidToken();
    const bearer = await lookUp.ask(hashBearerToken(token));
    if (bearer === null) throw invalidToken();
    deps.tokenUsage.note(bearer);
    return bearer.agent;
  };
}

/** @throws DomainError missing_token */
function bearerOf(request: Request): string {
  const header = request.headers.get('authorization');
  const token = header === null ? undefined : bearerPattern.exec(header)?.[1];
  if (token !== undefined) return token;
  throw new DomainError(
    'missing_token',
    header === null
      ? 'This endpoint requires the header `Authorization: Bearer <token>`.'
      : 'The `Authorization` header must have the form `Bearer <token>`.',
    { hint: 'Sign up with POST /v1/agents/register and POST /v1/agents/verify to get a token.' },
  );
}

function invalidToken(): DomainError {
  return new DomainError('invalid_token', 'The bearer token is invalid.', {
    hint: 'Get a new one with POST /v1/agents/login and POST /v1/agents/verify.',
  });
}
