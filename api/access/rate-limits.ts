/**
 * Limits how often an agent, or a network without a valid token, may call per minute. All API processes share the
 * counts through Redis. While Redis is unavailable each process counts on its own, because a missing limit is better
 * than no service.
 */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError } from '#domain/errors.ts';
import { hashNetwork } from '#runtime/inbound-http/client-address.ts';
import type { ApiDeps } from '../deps.ts';
import type { Endpoint } from '../endpoint.ts';
import { createSharedLimiter } from './shared-limiter.ts';

export interface RateLimiter {
  /** @throws DomainError rate_limited */
  countAgent(agentId: string): Promise<void>;
  /** @throws DomainError rate_limited */
  countNetwork(clientAddress: string): Promise<void>;
  /**
   * Checks without counting.
   * @throws DomainError rate_limited once the network is over the limit
   */
  requireRoom(clientAddress: string): Promise<void>;
}

export type RateLimiters = Readonly<
  Record<'registrations' | 'writes' | 'reads' | 'searches' | 'wrongKeys', RateLimiter | null>
>;

const windowSeconds = 60;

type LimiterDeps = Pick<ApiDeps, 'redis' | 'settings' | 'secretKey'>;

/** One limiter for each kind of call; null where the operator set the limit to 0. */
export function createRateLimiters(deps: LimiterDeps, timeoutMs: number): RateLimiters {
  const { settings } = deps;
  const create = (kind: string, perMinute: number): RateLimiter | null =>
    perMinute === 0 ? null : createRateLimiter(deps, kind, perMinute, timeoutMs);
  return {
    registrations: create('registrations', settings.registrationsPerMinute),
    writes: create('writes', settings.writesPerMinute),
    reads: create('reads', settings.readsPerMinute),
    searches: create('searches', settings.searchesPerMinute),
    // The same limit as for registrations: callers who have the key send it correctly.
    wrongKeys: create('wrong keys', settings.registrationsPerMinute),
  };
}

export function limiterOf(endpoint: Endpoint, limiters: RateLimiters): RateLimiter | null {
  const kind = endpoint.rateLimit ?? (endpoint.method === 'GET' ? 'reads' : 'writes');
  return kind === 'none' ? null : limiters[kind];
}

function createRateLimiter(
  { redis, secretKey }: LimiterDeps,
  kind: string,
  perMinute: number,
  timeoutMs: number,
): RateLimiter {
  const local = new RateLimiterMemory({ points: perMinute, duration: windowSeconds });
  const limiter =
    redis === null
      ? local
      : createSharedLimiter({
          redis,
          local,
          kind,
          timeoutMs,
          points: perMinute,
          duration: windowSeconds,
          // Clients over the limit are rejected from memory until the minute ends.
          inMemoryBlockOnConsumed: perMinute + 1,
        });
  // Redis persists its keys, and no client address may end up on disk.
  const nameOfNetwork = (clientAddress: string): string => `network:${hashNetwork(secretKey, clientAddress)}`;
  const count = async (key: string, points = 1): Promise<void> => {
    try {
      await limiter.consume(key, points);
    } catch (rejected) {
      if (!(rejected instanceof RateLimiterRes)) throw rejected;
      throw new DomainError(
        'rate_limited',
        `You have reached the limit of ${perMinute} ${kind} per minute for an agent or network.`,
        {
          hint: 'Wait for the number of seconds in `Retry-After`, then continue.',
          retryAfterSeconds: rejected.msBeforeNext / 1000,
        },
      );
    }
  };
  return {
    countAgent: (agentId) => count(`agent:${agentId}`),
    countNetwork: (clientAddress) => count(nameOfNetwork(clientAddress)),
    requireRoom: (clientAddress) => count(nameOfNetwork(clientAddress), 0),
  };
}
