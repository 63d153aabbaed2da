/** Renews slots that this process holds in Redis, as members of sorted sets by expiry, until it releases them. */
import type { Logger } from '../tracing/log.ts';
import type { Redis } from './redis.ts';

/** Also restores slots that an emptied Redis has lost. KEYS[1]: the slots by expiry. ARGV: ttl in ms, slots. */
const renewSlots = `
local t = redis.call('TIME')
local until_ = t[1] * 1000 + math.floor(t[2] / 1000) + tonumber(ARGV[1])
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], until_, ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[1]))`;

export interface KeptSlotsTimes {
  /** A slot becomes free this long after its last renewal. */
  readonly ttlMs: number;
  readonly renewalMs: number;
}

export class KeptSlots {
  /** By key. */
  readonly #held = new Map<string, Set<string>>();
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(redis: Redis, logger: Logger, { ttlMs, renewalMs }: KeptSlotsTimes) {
    this.#timer = setInterval(() => {
      for (const [key, slots] of this.#held)
        redis
          .eval(renewSlots, 1, key, ttlMs, ...slots)
          .catch((err: unknown) => logger.debug({ err, key }, 'could not renew slots'));
    }, renewalMs);
    this.#timer.unref();
  }

  /** A slot that has been taken. */
  add(key: string, slot: string): void {
    this.#held.set(key, (this.#held.get(key) ?? new Set()).add(slot));
  }

  /** @returns whether it was held */
  delete(key: string, slot: string): boolean {
    const slots = this.#held.get(key);
    const wasHeld = slots?.delete(slot) === true;
    if (slots?.size === 0) this.#held.delete(key);
    return wasHeld;
  }

  /** Stops renewing. */
  close(): void {
    clearInterval(this.#timer);
  }
}
