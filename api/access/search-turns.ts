/** Searches take turns in each process, by network, then agent: SQLite does one at a time, and each may take its whole time. */
import { claimantOf, networkOfAgent } from '#domain/agents/find-agent.ts';
import type { ActingAgent } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { hashNetwork } from '#runtime/inbound-http/client-address.ts';
import { createLocalTurns, LineFullError } from '#runtime/turns/local-turns.ts';
import type { Endpoint } from '../endpoint.ts';
import { requestTargetOf } from '../request/request-head.ts';

const atOnceMax = 4;
/** For networks and agents that have searched little lately. */
const reserved = 1;
const waitingMax = { ofAgent: 16, all: 64 } as const;
const waitMaxMs = 5_000;
const retryAfterSeconds = 2;

/**
 * @param agent null for a caller without a token, whose network takes the turn
 * @returns a function that ends the turn
 * @throws DomainError search_timeout
 */
export type TakeSearchTurn = (clientAddress: string, agent: ActingAgent | null) => Promise<() => void>;

export function createSearchTurns({ secretKey }: { readonly secretKey: string }): TakeSearchTurn {
  const turns = createLocalTurns({ max: atOnceMax, reserved, waitingMax });
  return async (clientAddress, agent) => {
    const network = agent === null ? networkOfAgent(hashNetwork(secretKey, clientAddress), '') : '';
    const claimant = agent === null ? { network, agentId: network } : claimantOf(agent);
    try {
      return await turns.take(claimant, AbortSignal.timeout(waitMaxMs));
    } catch (error) {
      const isLate = error instanceof DOMException && error.name === 'TimeoutError';
      if (!isLate && !(error instanceof LineFullError)) throw error;
      throw new DomainError('search_timeout', 'Too many searches are waiting.', {
        hint: 'Send one search at a time, and repeat this one.',
        retryAfterSeconds,
        cause: error,
      });
    }
  };
}

/** Whether requests to the endpoint may search. */
export function maySearch({ searches, query }: Endpoint): boolean {
  return searches === true || (query !== undefined && 'q' in query.properties);
}

export function isSearch(request: Request): boolean {
  return new URLSearchParams(requestTargetOf(request).query).has('q');
}
