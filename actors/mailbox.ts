/**
 * Mailboxes: a Redis stream for each actor that has mail, and a sorted set of all of them, by the time since which they
 * have not been empty. An entry is deleted by its id once it is handled and never before, so that whoever activates the
 * actor next finds it again. All times are by the clock of Redis, so that machines need not agree on theirs.
 */
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Cause, readCause } from '#runtime/tracing/cause.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import type { ActorAddress } from './actor-type.ts';
import { batchMax, mailboxKeptMs, mailboxMax, wakeLostAfterMs } from './limits.ts';
import { type AnswerTo, messagesOf } from './replies.ts';

/** A command on its way, with all that is needed to answer it. */
export interface Envelope {
  readonly id: string;
  /** The process that asks. */
  readonly replyTo: string;
  /** Not to be handled after it has been in the mailbox for so long. */
  readonly timeoutMs: number;
  readonly command: unknown;
  readonly cause?: Cause | undefined;
}

export interface MailboxEntry {
  readonly entryId: string;
  /** Null: it cannot be read. */
  readonly envelope: Envelope | null;
  readonly isLate: boolean;
}

/** What an activation is done with. */
export interface Handled {
  readonly entryIds: readonly string[];
  readonly answers: readonly AnswerTo[];
}

const appendScript = `
local before = redis.call('XLEN', KEYS[1])
local taken = math.max(0, math.min(tonumber(ARGV[1]) - before, #ARGV - 3))
for i = 4, 3 + taken do redis.call('XADD', KEYS[1], '*', 'm', ARGV[i]) end
if taken > 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  local now = redis.call('TIME')
  redis.call('ZADD', KEYS[2], 'NX', now[1] * 1000 + math.floor(now[2] / 1000), ARGV[3])
end
return {taken, before}`;

const takeScript = `
local ids = tonumber(ARGV[3])
if ids > 0 then redis.call('XDEL', KEYS[1], unpack(ARGV, 4, 3 + ids)) end
for i = 4 + ids, #ARGV, 2 do redis.call('PUBLISH', ARGV[i], ARGV[i + 1]) end
local entries = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', ARGV[2])
if #entries == 0 then
  redis.call('DEL', KEYS[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
end
local now = redis.call('TIME')
return {now[1] * 1000 + math.floor(now[2] / 1000), entries}`;

const findWaitingScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found = redis.call('ZRANGEBYSCORE', KEYS[1], 0, now - ARGV[1], 'LIMIT', 0, ARGV[2])
for _, member in ipairs(found) do redis.call('ZADD', KEYS[1], 'XX', now, member) end
return found`;

/** What `defineCommand` adds to a connection. */
interface MailboxScripts {
  hubMailboxAppend(...words: (string | number)[]): Promise<[taken: number, before: number]>;
  hubMailboxTake(
    ...words: (string | number)[]
  ): Promise<[nowMs: number, entries: [entryId: string, fields: [string, string]][]]>;
  hubMailboxesWaiting(...words: (string | number)[]): Promise<ActorAddress[]>;
}

export type Mailboxes = ReturnType<typeof createMailboxes>;

export function createMailboxes(redis: Redis) {
  redis.defineCommand('hubMailboxAppend', { numberOfKeys: 2, lua: appendScript });
  redis.defineCommand('hubMailboxTake', { numberOfKeys: 2, lua: takeScript });
  redis.defineCommand('hubMailboxesWaiting', { numberOfKeys: 1, lua: findWaitingScript });
  const scripts = redis as unknown as MailboxScripts; // Defined in the three lines above.

  return {
    /** @returns how many found room, from the first one on, and whether the actor may be asleep */
    append: async (address: ActorAddress, envelopes: readonly Envelope[]) => {
      const texts = envelopes.map((envelope) => JSON.stringify(envelope));
      const limits = [mailboxMax, mailboxKeptMs];
      const [taken, before] = await scripts.hubMailboxAppend(
        ...keysOf(address),
        ...limits,
        address,
        ...texts,
      );
      return { taken, wasEmpty: before === 0 };
    },
    /** Deletes what was handled, sends the answers, and reads the next entries, oldest first, as one step. */
    take: async (address: ActorAddress, { entryIds, answers }: Handled): Promise<readonly MailboxEntry[]> => {
      const done = [entryIds.length, ...entryIds, ...messagesOf(answers)];
      const [nowMs, entries] = await scripts.hubMailboxTake(...keysOf(address), address, batchMax, ...done);
      return entries.map(([entryId, [, text]]) => {
        const envelope = readEnvelope(text);
        // An entry's id begins with the time at which it was added.
        return {
          entryId,
          envelope,
          isLate: Number.parseInt(entryId, 10) + (envelope?.timeoutMs ?? 0) < nowMs,
        };
      });
    },
    /** Actors whose mailbox has not been empty for long; each is named again only after as long. */
    findWaiting: (limit: number) => scripts.hubMailboxesWaiting(redisNames.mailboxes, wakeLostAfterMs, limit),
  };
}

function keysOf(address: ActorAddress): string[] {
  return [redisNames.mailbox + address, redisNames.mailboxes];
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

/** Redis is outside our walls: what cannot be read is thrown away rather than read again and again. */
function readEnvelope(text: string): Envelope | null {
  try {
    const value: unknown = JSON.parse(text);
    return isEnvelope.Check(value) ? { ...value, cause: readCause(value.cause) } : null;
  } catch {
    return null;
  }
}
