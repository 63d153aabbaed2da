/**
 * The Lua scripts of the mailboxes. Those that append and take handle any number of mailboxes in one call, which costs far
 * less than a call for each. In a Redis Cluster, the mailboxes of one call must be of one shard.
 */
import type { Redis } from '#runtime/redis/redis.ts';
import type { ActorAddress } from './actor-type.ts';

const time = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/**
 * Calls `run`, and returns an error as a reply. The second result says that this Redis has become a replica: that must
 * be the reply to the whole call, or the client would not leave it.
 */
const attempt = `
local function attempt(run, ...)
  local isDone, result = pcall(run, ...)
  if isDone then return result end
  local text = type(result) == 'table' and result.err or tostring(result)
  local readOnly = string.match(text, 'READONLY.*')
  return {err = readOnly or text}, readOnly ~= nil
end`;

/** The replication id of this Redis. It changes when a replica is promoted and at a restart. */
const incarnation = `
local incarnation = string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)') or ''`;

/**
 * Keys: the listeners; then mailbox and list of mailboxes of each actor. Arguments: limits; then for each actor its address,
 * when to wake it, a number that picks its listener, the count of its messages, and the messages.
 *
 * An error, e.g. for lack of memory, only fails the mailbox that it is about: the others get their messages and wakes.
 */
const appendScript = `${time}${incarnation}${attempt}
local listeners
local wakes = {}
local function findListener(pick)
  if not listeners then
    listeners = redis.call('ZRANGEBYSCORE', KEYS[1], now - ARGV[3], '+inf')
    table.sort(listeners)
  end
  if #listeners > 0 then return listeners[pick % #listeners + 1] end
end
local function append(mailbox, mailboxes, at, count)
  local address, when, pick = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local before = redis.call('XLEN', mailbox)
  local taken = math.max(0, math.min(tonumber(ARGV[1]) - before, count))
  if taken > 0 then
    redis.call('ZADD', mailboxes, 'NX', now, address)
    for entry = at + 4, at + 3 + taken do redis.call('XADD', mailbox, '*', 'm', ARGV[entry], 'r', incarnation) end
    redis.call('PEXPIRE', mailbox, ARGV[2])
  end
  local needsWake = when == 'always' or when == 'if empty' and before == 0
  local result = {taken, needsWake and 1 or 0}
  local listener = needsWake and findListener(pick)
  if listener then
    wakes[listener] = wakes[listener] or {addresses = {}, results = {}}
    table.insert(wakes[listener].addresses, address)
    table.insert(wakes[listener].results, result)
  end
  return result
end
local results = {}
local at = 4
for i = 2, #KEYS, 2 do
  local count = tonumber(ARGV[at + 3])
  local result, isReplica = attempt(append, KEYS[i], KEYS[i + 1], at, count)
  if isReplica then return result end
  results[#results + 1] = result
  at = at + 4 + count
end
for listener, woken in pairs(wakes) do
  if redis.call('PUBLISH', listener, table.concat(woken.addresses, ' ')) > 0 then
    for _, result in ipairs(woken.results) do result[2] = 0 end
  else
    redis.call('ZREM', KEYS[1], listener)
  end
end
return results`;

/**
 * Keys: mailbox, list of mailboxes and epoch of each actor. Arguments: limits; then for each actor its address, epoch,
 * the counts of its handled entries and of its replies, the ids, and the replies as channel, text, channel, text, …
 *
 * An error, e.g. for lack of memory, only fails the mailbox that it is about: the replies of the others must be sent.
 */
const takeScript = `${time}${incarnation}${attempt}
local channels = {}
local texts = {}
local function take(mailbox, mailboxes, epochKey, at, ids, replies)
  local address, epoch = ARGV[at], tonumber(ARGV[at + 1])
  local latest = tonumber(redis.call('GET', epochKey))
  if latest and latest > epoch then return false end
  if latest == epoch then
    if ids > 0 then redis.call('XDEL', mailbox, unpack(ARGV, at + 4, at + 3 + ids)) end
    for reply = at + 4 + ids, at + 2 + ids + 2 * replies, 2 do
      local channel = ARGV[reply]
      if not texts[channel] then
        texts[channel] = {}
        table.insert(channels, channel)
      end
      table.insert(texts[channel], ARGV[reply + 1])
    end
  end
  if latest ~= epoch or redis.call('PTTL', epochKey) < ARGV[2] / 2 then
    redis.call('SET', epochKey, epoch, 'PX', ARGV[2])
  end
  local entries = redis.call('XRANGE', mailbox, '-', '+', 'COUNT', ARGV[1])
  if #entries == 0 then
    redis.call('DEL', mailbox)
    redis.call('ZREM', mailboxes, address)
  elseif now - (redis.call('ZSCORE', mailboxes, address) or now) > tonumber(ARGV[3]) then
    redis.call('ZADD', mailboxes, 'XX', now, address)
  end
  return entries
end
local results = {}
local at = 4
for i = 1, #KEYS, 3 do
  local ids, replies = tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local result, isReplica = attempt(take, KEYS[i], KEYS[i + 1], KEYS[i + 2], at, ids, replies)
  if isReplica then return result end
  results[#results + 1] = result
  at = at + 4 + ids + 2 * replies
end
for _, channel in ipairs(channels) do
  redis.call('PUBLISH', channel, '[' .. table.concat(texts[channel], ',') .. ']')
end
return {now, incarnation, results}`;

const isEmptyScript = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
return 1`;

/** Keys: lists of mailboxes. The limit is for each. */
const findWaitingScript = `${time}
local waiting = {}
for _, key in ipairs(KEYS) do
  local found = redis.call('ZRANGEBYSCORE', key, 0, now - ARGV[1], 'LIMIT', 0, ARGV[2])
  for _, member in ipairs(found) do
    redis.call('ZADD', key, 'XX', now, member)
    waiting[#waiting + 1] = member
  end
end
return waiting`;

const registerListenerScript = `${time}
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - ARGV[2])`;

type Arguments = (string | number)[];

export type RawEntry = [entryId: string, fields: ['m', wire: string, 'r', incarnation: string]];

/** The methods that `defineCommand` adds to a connection. Where the number of keys varies, it is the first argument. */
export interface MailboxScripts {
  hubMailboxAppend(...args: Arguments): Promise<([taken: number, needsWake: 0 | 1] | Error)[]>;
  hubMailboxTake(
    ...args: Arguments
  ): Promise<[nowMs: number, incarnation: string, entries: (RawEntry[] | null | Error)[]]>;
  hubMailboxIsEmpty(...args: string[]): Promise<0 | 1>;
  hubMailboxesWaiting(...args: Arguments): Promise<ActorAddress[]>;
  hubMailboxRegisterListener(...args: Arguments): Promise<null>;
}

export function defineMailboxScripts(redis: Redis): MailboxScripts {
  redis.defineCommand('hubMailboxAppend', { lua: appendScript });
  redis.defineCommand('hubMailboxTake', { lua: takeScript });
  redis.defineCommand('hubMailboxIsEmpty', { numberOfKeys: 2, lua: isEmptyScript });
  redis.defineCommand('hubMailboxesWaiting', { lua: findWaitingScript });
  redis.defineCommand('hubMailboxRegisterListener', { numberOfKeys: 1, lua: registerListenerScript });
  return redis as unknown as MailboxScripts; // Defined just above.
}
