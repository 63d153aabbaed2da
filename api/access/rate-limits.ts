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

/** Null if such calls are never limited. */
export type RateLimiters = Readonly<
  Record<'registrations' | 'writes' | 'reads' | 'searches' | 'wrongKeys', RateLimiter | null>
>;

const windowSeconds = 60;

type LimiterDeps = Pick<ApiDeps, 'redis' | 'settings' | 'secretKey' | 'proxies'>;

/** One limiter for each kind of call. Those of a private hub change at the first sign of a proxy. */
export function createRateLimiters(deps: LimiterDeps, timeoutMs: number): RateLimiters {
  const { settings, proxies } = deps;
  const create = (kind: string, limit: keyof ApiLimits): RateLimiter | null => {
    const createFor = (perMinute: number): RateLimiter | null =>
      perMinute === 0 ? null : createRateLimiter(deps, kind, perMinute, timeoutMs);
    return settings.behindProxy === null
      ? createFor(settings[limit])
      : followLimit(() => limitsNow<ApiLimits>(settings, proxies)[limit], createFor);
  };
  return {
    registrations: create('registrations', 'registrationsPerMinute'),
    writes: create('writes', 'writesPerMinute'),
    reads: create('reads', 'readsPerMinute'),
    searches: create('searches', 'searchesPerMinute'),
    // The same limit as for registrations: callers who have the key send it correctly.
    wrongKeys: create('wrong keys', 'registrationsPerMinute'),
  };
}

function followLimit(
  perMinuteNow: () => number,
  createFor: (perMinute: number) => RateLimiter | null,
): RateLimiter {
  let known = { perMinute: 0, limiter: createFor(0) };
  const now = (): RateLimiter | null => {
    const perMinute = perMinuteNow();
    if (perMinute !== known.perMinute) known = { perMinute, limiter: createFor(perMinute) };
    return known.limiter;
  };
  return {
    isOn: () => now() !== null,
    countAgent: async (agentId) => now()?.countAgent(agentId),
    countNetwork: async (clientAddress) => now()?.countNetwork(clientAddress),
    requireRoom: async (clientAddress) => now()?.requireRoom(clientAddress),
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
  const limiters = new Map<number, ReturnType<typeof createSharedLimiter> | RateLimiterMemory>();
  /** Wider networks have a limit several times that of one client. */
  const createForSize = (times: number) => {
    const points = times * perMinute;
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
  const count = async (key: string, points: number, times: number): Promise<void> => {
    try {
      await limiters.getOrInsertComputed(times, createForSize).consume(key, points);
    } catch (rejected) {
      if (!(rejected instanceof RateLimiterRes)) throw rejected;
      throw new DomainError(
        'rate_limited',
        `You have reached the limit of ${times * perMinute} ${kind} per minute for an agent or network.`,
        {
          hint: 'Wait for the number of seconds in `Retry-After`, then continue.',
          retryAfterSeconds: rejected.msBeforeNext / 1000,
        },
      );
    }
  };
  const countNetwork = async (clientAddress: string, points: number): Promise<void> => {
    // Redis persists its keys, and no client address may end up on disk. A client over its own limit does not use up
    // that of its neighbours.
    for (const { network, times } of countedNetworks(hashNetwork(secretKey, clientAddress)))
      await count(`network:${network}`, points, times);
  };
  return {
    isOn: () => true,
    countAgent: (agentId) => count(`agent:${agentId}`, 1, 1),
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
