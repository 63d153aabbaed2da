/**
 * Shares the slots at addresses across all processes, through Redis. Each process registers the best of its waiting
 * callers; a free slot goes to the best of them by the rules of turns.ts. While Redis is down, each process
 * counts its own.
 */
import { createId } from '#runtime/create-id.ts';
import type { Logger } from '../tracing/log.ts';
import { KeptSlots } from '#runtime/redis/kept-slots.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { type Claimant, sliceMs } from './turns.ts';

export interface SharedSlot {
  /** Whether callers of other processes wait at the address. */
  readonly contested: boolean;
  release(heldMs: number): void;
}

const slotTtlMs = 5_000;
const renewalMs = 1_500;
/** A process asks again more often than this while it waits. */
const candidateTtlMs = 500;
/** Slot-time is summed in windows; the current and the previous one count. */
const windowMs = 120_000;

/**
 * KEYS: the slots of an address by expiry, the slot-time of this and of the previous window, the best waiting caller
 * of each process. ARGV: maximum, ttl of a slot, holder, network, agent, process, ttl of a candidate, slice. Without a
 * holder, it only returns whether the caller, who is releasing a slot, would be next.
 */
const takeTurn = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local slots = redis.call('ZRANGE', KEYS[1], 0, -1)
local held = {}
for _, slot in ipairs(slots) do
  for key in slot:gmatch(' (%S+)') do held[key] = (held[key] or 0) + 1 end
end
local function slices(key)
  local ms = tonumber(redis.call('HGET', KEYS[2], key) or 0) + tonumber(redis.call('HGET', KEYS[3], key) or 0)
  return math.floor(ms / tonumber(ARGV[8]))
end
local function rank(network, agent)
  return { held[network] or 0, slices(network), held[agent] or 0, slices(agent) }
end
local function before(one, other)
  for i = 1, 4 do if one[i] ~= other[i] then return one[i] < other[i] end end
  return false
end
if ARGV[3] == '' then
  held[ARGV[4]] = (held[ARGV[4]] or 1) - 1
  held[ARGV[5]] = (held[ARGV[5]] or 1) - 1
end
local mine = rank(ARGV[4], ARGV[5])
local others, first = 0, true
local candidates = redis.call('HGETALL', KEYS[4])
for i = 1, #candidates, 2 do
  if candidates[i] ~= ARGV[6] then
    local ends, network, agent = candidates[i + 1]:match('^(%d+) (%S+) (%S+)$')
    if tonumber(ends) < now then redis.call('HDEL', KEYS[4], candidates[i])
    else
      others = others + 1
      if before(rank(network, agent), mine) then first = false end
    end
  end
end
if ARGV[3] == '' then return first and 1 or 0 end
if #slots >= tonumber(ARGV[1]) or (others > 0 and not first) then
  local ends = now + tonumber(ARGV[7])
  redis.call('HSET', KEYS[4], ARGV[6], string.format('%d', ends) .. ' ' .. ARGV[4] .. ' ' .. ARGV[5])
  redis.call('PEXPIRE', KEYS[4], ARGV[7])
  return 0
end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[3] .. ' ' .. ARGV[4] .. ' ' .. ARGV[5])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('HDEL', KEYS[4], ARGV[6])
return others > 0 and 2 or 1`;

export class SharedTurns {
  readonly #redis: Redis;
  readonly #logger: Logger;
  readonly #max: number;
  readonly #processId = createId(new Date());
  readonly #kept: KeptSlots;

  /** @param max slots at each address */
  constructor(redis: Redis, logger: Logger, max: number) {
    this.#redis = redis;
    this.#logger = logger;
    this.#max = max;
    this.#kept = new KeptSlots(redis, logger, { ttlMs: slotTtlMs, renewalMs });
  }

  /** Asks for a slot at an address. Never rejects. */
  async take(address: string, claimant: Claimant): Promise<SharedSlot | null> {
    const holder = createId(new Date());
    const reply = await this.#ask(address, claimant, holder);
    if (reply === 0) return null;
    const { network, agent } = namesOf(claimant);
    const slot = `${holder} ${network} ${agent}`;
    this.#kept.add(keysOf(address).slots, slot);
    return {
      contested: reply === 2,
      release: (heldMs) => this.#release(address, claimant, slot, heldMs),
    };
  }

  /** Whether the holder of a slot would be next again, before the waiting callers of other processes. */
  async isFirst(address: string, claimant: Claimant): Promise<boolean> {
    return (await this.#ask(address, claimant, '')) === 1;
  }

  /** Called when no caller of this process waits at the address any more. */
  withdraw(address: string): void {
    this.#redis.hdel(keysOf(address).candidates, this.#processId).catch(() => undefined); // It expires.
  }

  /** Stops renewing. */
  close(): void {
    this.#kept.close();
  }

  async #ask(address: string, claimant: Claimant, holder: string): Promise<number> {
    const { slots, used, usedBefore, candidates } = keysOf(address);
    const { network, agent } = namesOf(claimant);
    const limits = [this.#max, slotTtlMs, holder];
    const caller = [network, agent, this.#processId, candidateTtlMs, sliceMs];
    try {
      return Number(
        await this.#redis.eval(takeTurn, 4, slots, used, usedBefore, candidates, ...limits, ...caller),
      );
    } catch (err) {
      this.#logger.debug({ err }, 'Redis is down; this process counts its own slots');
      return 1;
    }
  }

  #release(address: string, claimant: Claimant, slot: string, heldMs: number): void {
    const keys = keysOf(address);
    this.#kept.delete(keys.slots, slot);
    const { network, agent } = namesOf(claimant);
    const usedMs = Math.round(heldMs);
    const commands = this.#redis.pipeline().zrem(keys.slots, slot);
    if (usedMs > 0) {
      commands
        .hincrby(keys.used, network, usedMs)
        .hincrby(keys.used, agent, usedMs)
        .pexpire(keys.used, 2 * windowMs);
    }
    commands.exec().catch(() => undefined); // The slot expires.
  }
}

function keysOf(address: string) {
  const window = Math.floor(Date.now() / windowMs);
  const { slots, used, waiting } = redisNames.targetSlots(address);
  return { slots, used: used(window), usedBefore: used(window - 1), candidates: waiting };
}

/** Names without spaces, which agents cannot choose. */
function namesOf({ network, agentId }: Claimant): { network: string; agent: string } {
  return { network: `network-${network}`, agent: `agent-${agentId}` };
}
