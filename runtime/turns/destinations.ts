/**
 * Limits the calls to one destination, over all agents and processes: at most ten, and at most a megabyte, in any second
 * to a host name, and to an address, whatever the port. An IPv6 address counts as its /64, because a host can use any
 * address there. Waiting callers take turns, so that the calls of one agent do not
 * delay those of another. Calls are counted in Redis; while it is down, calls wait, because no process knows what the
 * others have sent.
 */
import { createId } from '#runtime/create-id.ts';
import type { Logger } from '../tracing/log.ts';
import { networksOf } from '#runtime/inbound-http/client-address.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import type { Claimant } from './turns.ts';
import { rememberedAt, WaitingLine } from './waiting-line.ts';

export interface Destination {
  /** The host name in the URL, in lower case. */
  readonly host: string;
  readonly ip: string;
  /** The size of the request. A request above the limit of one second uses up that of several. */
  readonly bytes: number;
}

export const callsPerSecondMax = 10;
export const bytesPerSecondMax = 1_000_000;
/** Longer than a second, because calls take different times to reach the receiver. */
const windowMs = 1_400;

/** Between two calls. A process that is busy sends calls later than they are counted; without a gap they would pile up. */
const gapMs = 100;

/** How soon Redis is asked again after it was down. */
const askAgainMs = 250;

/**
 * KEYS: the calls of host and address by time. ARGV: window in ms, most calls, most bytes, id, bytes, gap in ms. Returns
 * the wait for each in ms. A call above the most bytes is dated later, so that it is remembered for longer.
 */
const countCall = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local window, bytes = tonumber(ARGV[1]), tonumber(ARGV[5])
local later = math.floor(math.max(0, bytes / tonumber(ARGV[3]) - 1) * window)
local waits, free = {}, true
for i, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
  local calls = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  local sum = bytes
  for c = 1, #calls, 2 do sum = sum + tonumber(calls[c]:match(' (%d+)$') or 0) end
  waits[i] = 0
  if #calls > 0 then
    if #calls / 2 >= tonumber(ARGV[2]) or sum > tonumber(ARGV[3]) then waits[i] = calls[2] + window - now end
    waits[i] = math.max(0, waits[i], calls[#calls] + tonumber(ARGV[6]) - now)
    if waits[i] > 0 then free = false end
  end
end
if free then
  for _, key in ipairs(KEYS) do
    redis.call('ZADD', key, now + later, ARGV[4] .. ' ' .. ARGV[5])
    redis.call('PEXPIRE', key, window + later)
  end
end
return waits`;

interface Waiting {
  readonly host: string;
  readonly bytes: number;
  readonly claimant: Claimant;
  /** When the host's own limit ends. */
  notBefore: number;
}

type Line = WaitingLine<Waiting, void>;

export class Destinations {
  readonly #redis: Redis;
  readonly #logger: Logger;
  /** By network: an IPv4 address, or the /64 of an IPv6 address. */
  readonly #lines = new Map<string, Line>();

  constructor(redis: Redis, logger: Logger) {
    this.#redis = redis;
    this.#logger = logger;
  }

  /**
   * Resolves when the call may be made; rejects if the signal fires first. Call the returned function when it has
   * ended.
   */
  async enter(
    { host, ip, bytes }: Destination,
    claimant: Claimant,
    signal: AbortSignal | undefined,
  ): Promise<() => void> {
    signal?.throwIfAborted();
    const [network = ip] = networksOf(ip);
    const make = (): Line => {
      const line: Line = new WaitingLine(() => this.#admitSome(line, network));
      return line;
    };
    const line = rememberedAt(this.#lines, network, make, ({ size }) => size > 0);
    return line.join({ host, bytes, claimant, notBefore: 0 }, () => line.order.hold(claimant), signal);
  }

  /** @returns when to continue; null if nobody waits */
  async #admitSome(line: Line, network: string): Promise<number | null> {
    for (;;) {
      const present = performance.now();
      const next = line.order.next(line.callers().filter(({ notBefore }) => notBefore <= present));
      if (next === undefined) break;
      const [hostMs = 0, ipMs = 0] = await this.#count(next, network);
      if (ipMs > 0) return ipMs;
      if (hostMs === 0) line.give(next);
      else
        for (const one of line.callers())
          if (one.host === next.host) one.notBefore = performance.now() + hostMs;
    }
    if (line.size === 0) return null;
    const waits = [...line.callers()].map(({ notBefore }) => notBefore - performance.now());
    return Math.max(1, Math.min(...waits));
  }

  /** @returns the waits for host and address, both 0 if the call is counted */
  async #count({ host, bytes }: Waiting, network: string): Promise<readonly number[]> {
    const names = [`host:${host}`, `ip:${network}`];
    const keys = names.map(redisNames.destination);
    try {
      const id = createId(new Date());
      const limits = [windowMs, callsPerSecondMax, bytesPerSecondMax];
      const waits = await this.#redis.eval(
        countCall,
        keys.length,
        ...keys,
        ...limits,
        id,
        Math.ceil(bytes),
        gapMs,
      );
      if (Array.isArray(waits)) return waits.map(Number);
    } catch (err) {
      this.#logger.debug({ err }, 'Redis is down; calls to destinations wait');
    }
    return [0, askAgainMs];
  }
}
