/**
 * Limits how often an agent, or a network without a valid token, may call per minute. All API processes share the
 * counts through Redis. While Redis is unavailable each process counts on its own, because a missing limit is better
 * than no service.
 */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError } from '#domain/errors.ts';
import { limitsNow } from '#runtime/settings/settings.ts';
import { countedNetworks, hashNetwork, isLoopbackAddress } from '#runtime/inbound-http/client-address.ts';
import type { ApiDeps, ApiLimits } from '../deps.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { createSharedLimiter } from './shared-limiter.ts';

export interface RateLimiter {
  /** Whether calls are limited now. */
  isOn(): boolean;
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
  Record<'registrations' | 'writes' | 'reads' | 'searches' | 'wrongKeys', RateLimiter>
>;

const windowSeconds = 60;

type LimiterDeps = Pick<ApiDeps, 'redis' | 'settings' | 'secretKey' | 'proxies'>;

/** One limiter for each kind of call. Those of a private hub change at the first sign of a proxy. */
export function createRateLimiters(deps: LimiterDeps, timeoutMs: number): RateLimiters {
  const create = (kind: string, limit: keyof ApiLimits): RateLimiter =>
    createRateLimiter(deps, kind, () => limitsNow<ApiLimits>(deps.settings, deps.proxies)[limit], timeoutMs);
  return {
    registrations: create('registrations', 'registrationsPerMinute'),
    writes: create('writes', 'writesPerMinute'),
    reads: create('reads', 'readsPerMinute'),
    searches: create('searches', 'searchesPerMinute'),
    // The same limit as for registrations: callers who have the key send it correctly.
    wrongKeys: create('wrong keys', 'registrationsPerMinute'),
  };
}

/** Null if calls of the endpoint are never limited. */
export function limiterOf(endpoint: Endpoint, limiters: RateLimiters): RateLimiter | null {
  const kind = endpoint.rateLimit ?? (endpoint.method === 'GET' ? 'reads' : 'writes');
  return kind === 'none' ? null : limiters[kind];
}

/** @param perMinuteNow 0 is no limit */
function createRateLimiter(
  { redis, secretKey }: LimiterDeps,
  kind: string,
  perMinuteNow: () => number,
  timeoutMs: number,
): RateLimiter {
  const limiters = new Map<number, ReturnType<typeof createSharedLimiter> | RateLimiterMemory>();
  const createFor = (points: number) => {
    const local = new RateLimiterMemory({ points, duration: windowSeconds });
    return redis === null
      ? local
      : createSharedLimiter({
          redis,
          local,
          kind,
          timeoutMs,
          points,
          duration: windowSeconds,
          // Clients over the limit are rejected from memory until the minute ends.
          inMemoryBlockOnConsumed: points + 1,
        });
  };
  /** @param times wider networks have a limit several times that of one client */
  const count = async (key: string, points: number, times: number): Promise<void> => {
    const limit = times * perMinuteNow();
    try {
      await limiters.getOrInsertComputed(limit, createFor).consume(key, points);
    } catch (rejected) {
      if (!(rejected instanceof RateLimiterRes)) throw rejected;
      throw new DomainError(
        'rate_limited',
        `You have reached the limit of ${limit} ${kind} per minute for an agent or network.`,
        {
          hint: 'Wait for the number of seconds in `Retry-After`, then continue.',
          retryAfterSeconds: rejected.msBeforeNext / 1000,
        },
      );
    }
  };
  const isOn = (): boolean => perMinuteNow() > 0;
  const countNetwork = async (clientAddress: string, points: number): Promise<void> => {
    if (!isOn()) return;
    // Redis persists its keys, and no client address may end up on disk. A client over its own limit does not use up
    // that of its neighbours.
    for (const { network, times } of countedNetworks(hashNetwork(secretKey, clientAddress)))
      await count(`network:${network}`, points, times);
  };
  return {
    isOn,
    countAgent: async (agentId) => {
      if (isOn()) await count(`agent:${agentId}`, 1, 1);
    },
    countNetwork: (clientAddress) => countNetwork(clientAddress, 1),
    requireRoom: (clientAddress) => countNetwork(clientAddress, 0),
  };
}

/** What a new agent keeps of the address from which it signed up. */
export function networkOf({ ctx, deps, clientAddress }: Pick<Call, 'ctx' | 'deps' | 'clientAddress'>): {
  readonly network?: string;
} {
  // Everybody on the machine of a private hub has this address, so it tells nobody apart.
  const address = clientAddress();
  const isLocal = ctx.rules.identity.isPrivate && isLoopbackAddress(address);
  return isLocal ? {} : { network: hashNetwork(deps.secretKey, address) };
}
