/**
 * Mailboxes: a Redis stream for each actor that has mail, and a sorted set of all of them, by the time since which they
 * have not been empty. An entry is deleted by its id once it is handled and never before, so that whoever activates the
 * actor next finds it again.
 */
import { redisNames } from '#runtime/redis-names.ts';
import type { Redis } from '#runtime/redis.ts';
import type { ActorAddress } from './actor-type.ts';
import { batchMax, mailboxKeptMs, mailboxMax } from './limits.ts';

/** A command on its way, with all that is needed to answer it. */
export interface Envelope {
  readonly id: string;
  /** The process that asks. */
  readonly replyTo: string;
  /** Not to be handled after this instant (Unix time in milliseconds). */
  readonly deadlineMs: number;
  readonly command: unknown;
}

/** An entry of a mailbox; null in place of an envelope that cannot be read. */
export interface MailboxEntry {
  readonly entryId: string;
  readonly envelope: Envelope | null;
}

export interface Appended {
  /** How many of the envelopes found room, from the first one on. */
  readonly taken: number;
  /** Whether the mailbox was empty, so that its actor may be asleep. */
  readonly wasEmpty: boolean;
}

export interface Mailboxes {
  append(address: ActorAddress, envelopes: readonly Envelope[]): Promise<Appended>;
  /** Deletes what was handled, and reads the next entries, oldest first. */
  take(address: ActorAddress, handledEntryIds: readonly string[]): Promise<readonly MailboxEntry[]>;
  /** Actors whose mailbox has not been empty since `beforeMs`; each is named again only after as long. */
  findWaiting(beforeMs: number, nowMs: number, limit: number): Promise<readonly ActorAddress[]>;
}

const APPEND = `
local before = redis.call('XLEN', KEYS[1])
local taken = math.max(0, math.min(tonumber(ARGV[1]) - before, #ARGV - 3))
for i = 4, 3 + taken do redis.call('XADD', KEYS[1], '*', 'm', ARGV[i]) end
if taken > 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  local now = redis.call('TIME')
  redis.call('ZADD', KEYS[2], 'NX', now[1] * 1000 + math.floor(now[2] / 1000), ARGV[3])
end
return {taken, before}`;

const TAKE = `
if #ARGV > 2 then redis.call('XDEL', KEYS[1], unpack(ARGV, 3)) end
local entries = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', ARGV[2])
if #entries == 0 then
  redis.call('DEL', KEYS[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
end
return entries`;

type Keys = readonly [mailbox: string, mailboxes: string];

/** What `defineCommand` adds to a connection. */
interface MailboxCommands {
  hubMailboxAppend(...words: [...Keys, ...(string | number)[]]): Promise<[number, number]>;
  hubMailboxTake(
    ...words: [...Keys, ...(string | number)[]]
  ): Promise<[entryId: string, fields: [string, string]][]>;
}

export function createMailboxes(redis: Redis): Mailboxes {
  redis.defineCommand('hubMailboxAppend', { numberOfKeys: 2, lua: APPEND });
  redis.defineCommand('hubMailboxTake', { numberOfKeys: 2, lua: TAKE });
  const commands = redis as unknown as MailboxCommands; // Defined in the two lines above.

  return {
    append: async (address, envelopes) => {
      const member = memberOf(address);
      const [taken, before] = await commands.hubMailboxAppend(
        ...keysOf(member),
        mailboxMax,
        mailboxKeptMs,
        member,
        ...envelopes.map((envelope) => JSON.stringify(envelope)),
      );
      return { taken, wasEmpty: before === 0 };
    },
    take: async (address, handledEntryIds) => {
      const member = memberOf(address);
      const entries = await commands.hubMailboxTake(...keysOf(member), member, batchMax, ...handledEntryIds);
      return entries.map(([entryId, [, text]]) => ({ entryId, envelope: readEnvelope(text) }));
    },
    findWaiting: async (beforeMs, nowMs, limit) => {
      const members = await redis.zrangebyscore(redisNames.mailboxes, 0, beforeMs, 'LIMIT', 0, limit);
      if (members.length === 0) return [];
      await redis.zadd(redisNames.mailboxes, 'XX', ...members.flatMap((member) => [nowMs, member]));
      return members.flatMap((member) => addressOf(member) ?? []);
    },
  };
}

function keysOf(member: string): Keys {
  return [redisNames.mailbox + member, redisNames.mailboxes];
}

/** `seat:0190…`; the type's name holds no colon. */
function memberOf({ type, id }: ActorAddress): string {
  return `${type}:${id}`;
}

function addressOf(member: string): ActorAddress | null {
  const colon = member.indexOf(':');
  return colon === -1 ? null : { type: member.slice(0, colon), id: member.slice(colon + 1) };
}

/** Redis is outside our walls: what cannot be read is thrown away rather than read again and again. */
function readEnvelope(text: string): Envelope | null {
  try {
    const value: unknown = JSON.parse(text);
    return isEnvelope(value) ? value : null;
  } catch {
    return null;
  }
}

function isEnvelope(value: unknown): value is Envelope {
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    typeof value.id === 'string' &&
    'replyTo' in value &&
    typeof value.replyTo === 'string' &&
    'deadlineMs' in value &&
    typeof value.deadlineMs === 'number' &&
    'command' in value
  );
}
