/**
 * Mailboxes: a Redis stream for each actor with commands, and for each shard a sorted set of these actors by the time
 * at which their mailbox became non-empty or was last read. An entry is deleted only after it was handled; until then,
 * the next activation finds it. Only the newest activation that has read a mailbox can delete entries and send results:
 * an older one may have handled the same commands with another outcome. All times are Redis time, so clock differences
 * between machines do not matter.
 */
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Cause, readCause } from '#runtime/tracing/cause.ts';
import { mailboxShardOf, mailboxShards, redisNames } from '#runtime/redis/redis-names.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import type { ActorAddress } from './actor-type.ts';
import { batchMax, mailboxKeptMs, mailboxMax, readerKeptMs, wakeLostAfterMs } from './limits.ts';
import { type AddressedResult, messagesOf } from './replies.ts';

/** A command with what is needed to reply to it. */
export interface Envelope {
  readonly id: string;
  /** The id of the sending process. */
  readonly replyTo: string;
  /** Counted from when the command is in the mailbox; it is not handled afterwards. */
  readonly timeoutMs: number;
  readonly command: unknown;
  readonly cause?: Cause | undefined;
}

export interface MailboxEntry {
  readonly entryId: string;
  /** Null: unreadable. */
  readonly envelope: Envelope | null;
  readonly isLate: boolean;
  /** When the command times out, by `performance.now()`. */
  readonly deadline: number;
}

/** Entries to delete, and the results to send. */
export interface Handled {
  readonly entryIds: readonly string[];
  readonly results: readonly AddressedResult[];
}

export type WakeWhen = 'always' | 'if empty' | 'never';

const appendScript = `
local before = redis.call('XLEN', KEYS[1])
local taken = math.max(0, math.min(tonumber(ARGV[1]) - before, #ARGV - 4))
for i = 5, 4 + taken do redis.call('XADD', KEYS[1], '*', 'm', ARGV[i]) end
if taken > 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  local now = redis.call('TIME')
  redis.call('ZADD', KEYS[2], 'NX', now[1] * 1000 + math.floor(now[2] / 1000), ARGV[3])
end
local needsWake = ARGV[4] == 'always' or ARGV[4] == 'if empty' and before == 0
local reader = needsWake and redis.call('GET', KEYS[3])
if reader and redis.call('PUBLISH', reader, ARGV[3]) > 0 then needsWake = false end
return {taken, needsWake and 1 or 0}`;

const takeScript = `
local epoch = tonumber(ARGV[3])
local latest = tonumber(redis.call('GET', KEYS[4]))
if latest and latest > epoch then return false end
local ids = tonumber(ARGV[5])
if latest == epoch then
  if ids > 0 then redis.call('XDEL', KEYS[1], unpack(ARGV, 8, 7 + ids)) end
  for i = 8 + ids, #ARGV, 2 do redis.call('PUBLISH', ARGV[i], ARGV[i + 1]) end
end
redis.call('SET', KEYS[4], epoch, 'PX', ARGV[4])
if ARGV[6] ~= '' then redis.call('SET', KEYS[3], ARGV[6], 'PX', ARGV[7]) end
local entries = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if #entries == 0 then
  redis.call('DEL', KEYS[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
else
  redis.call('ZADD', KEYS[2], 'XX', now, ARGV[1])
end
return {now, entries}`;

const isEmptyScript = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
return 1`;

const findWaitingScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found = redis.call('ZRANGEBYSCORE', KEYS[1], 0, now - ARGV[1], 'LIMIT', 0, ARGV[2])
for _, member in ipairs(found) do redis.call('ZADD', KEYS[1], 'XX', now, member) end
return found`;

/** The methods that `defineCommand` adds to a connection. */
interface MailboxScripts {
  hubMailboxAppend(...words: (string | number)[]): Promise<[taken: number, needsWake: 0 | 1]>;
  hubMailboxTake(
    ...words: (string | number)[]
  ): Promise<[nowMs: number, entries: [entryId: string, fields: [string, string]][]] | null>;
  hubMailboxIsEmpty(...words: string[]): Promise<0 | 1>;
  hubMailboxesWaiting(...words: (string | number)[]): Promise<ActorAddress[]>;
}

export type Mailboxes = ReturnType<typeof createMailboxes>;

export function createMailboxes(redis: Redis) {
  redis.defineCommand('hubMailboxAppend', { numberOfKeys: 3, lua: appendScript });
  redis.defineCommand('hubMailboxTake', { numberOfKeys: 4, lua: takeScript });
  redis.defineCommand('hubMailboxIsEmpty', { numberOfKeys: 3, lua: isEmptyScript });
  redis.defineCommand('hubMailboxesWaiting', { numberOfKeys: 1, lua: findWaitingScript });
  const scripts = redis as unknown as MailboxScripts; // Defined just above.

  return {
    /**
     * Appends commands, and wakes the actor directly if a process is registered as the reader of its mailbox.
     *
     * @param wakes when the append wakes the actor; `never` if a wake is already on its way
     * @returns how many commands were appended, in order from the first, and whether the actor still needs a wake
     */
    append: async (address: ActorAddress, envelopes: readonly Envelope[], wakes: WakeWhen = 'if empty') => {
      const texts = envelopes.map((envelope) => JSON.stringify(envelope));
      const limits = [mailboxMax, mailboxKeptMs];
      const words = [...keysOf(address), ...limits, address, wakes, ...texts];
      const [taken, needsWake] = await scripts.hubMailboxAppend(...words);
      return { taken, needsWake: needsWake === 1 };
    },
    /**
     * Deletes the handled entries, sends the results, and reads the next entries, oldest first, in one step. If Redis
     * has lost its data since the last call, only reads.
     *
     * @param epoch of the activation, which must claim the actor before its first call
     * @param reader the channel to which `append` sends wakes for the next `readerKeptMs`; null: no change
     * @returns null, and does nothing, if a newer activation has read the mailbox
     */
    take: async (
      address: ActorAddress,
      epoch: number,
      { entryIds, results }: Handled,
      reader: string | null = null,
    ): Promise<readonly MailboxEntry[] | null> => {
      const done = [...entryIds, ...messagesOf(results)];
      // Taken before the call: a process that is stopped until after the response must not gain time.
      const askedAt = performance.now();
      const taken = await scripts.hubMailboxTake(
        ...keysOf(address),
        redisNames.mailboxEpoch(address),
        address,
        batchMax,
        epoch,
        mailboxKeptMs,
        entryIds.length,
        reader ?? '',
        readerKeptMs,
        ...done,
      );
      if (taken === null) return null;
      const [nowMs, entries] = taken;
      return entries.map(([entryId, [, text]]) => {
        const envelope = readEnvelope(text);
        // The id of an entry starts with the time at which it was added.
        const leftMs = Number.parseInt(entryId, 10) + (envelope?.timeoutMs ?? 0) - nowMs;
        return { entryId, envelope, isLate: leftMs < 0, deadline: askedAt + leftMs };
      });
    },
    /** Also removes an empty mailbox, e.g. one that Redis has expired, from the list of waiting mailboxes. */
    isEmpty: async (address: ActorAddress): Promise<boolean> =>
      (await scripts.hubMailboxIsEmpty(...keysOf(address), address)) === 1,
    /**
     * Actors whose mailbox has been neither empty nor read for `wakeLostAfterMs`. Each is returned once per such period.
     * @param limit per shard
     */
    findWaiting: async (limit: number): Promise<readonly ActorAddress[]> => {
      const found = await Promise.all(
        mailboxShards.map((shard) =>
          scripts.hubMailboxesWaiting(redisNames.mailboxes(shard), wakeLostAfterMs, limit),
        ),
      );
      return found.flat();
    },
  };
}

function keysOf(address: ActorAddress): string[] {
  const shard = mailboxShardOf(address);
  return [redisNames.mailbox(address), redisNames.mailboxes(shard), redisNames.mailboxReader(address)];
}

const isEnvelope = Compile(
  Type.Object({
    id: Type.String(),
    replyTo: Type.String(),
    timeoutMs: Type.Number(),
    command: Type.Unknown(),
    cause: Type.Optional(Type.Unknown()),
  }),
);

/** Redis is outside our trust boundary: an unreadable entry is dropped, or it would be read forever. */
function readEnvelope(text: string): Envelope | null {
  try {
    const value: unknown = JSON.parse(text);
    return isEnvelope.Check(value) ? { ...value, cause: readCause(value.cause) } : null;
  } catch {
    return null;
  }
}
