/** A mailbox in a real Redis: order, capacity, expiry, and the sweep. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { busyKeptMs, mailboxMax, listenerKeptMs } from '#actors/limits.ts';
import type { ActorAddress } from '#actors/actor-type.ts';
import {
  createMailboxes,
  type Envelope,
  type Handled,
  type MailboxEntry,
  type Mailboxes,
  type WakeWhen,
} from '#actors/mailbox.ts';
import { mailboxShardOf, redisNames } from '#runtime/redis/redis-names.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { connectProducer, connectSubscriber, isReadyWithin, type Redis } from '#runtime/redis/redis.ts';
import { startTestRedis, type TestRedis } from '#test/harness/redis.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const epoch = 1;
const nothing = { entryIds: [], results: [] };
const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;

let server: TestRedis;
let redis: Redis;
let mailboxes: Mailboxes;
let boxes = 0;

beforeAll(async () => {
  const logger = createLogger({ name: 'test', level: 'silent' });
  server = await startTestRedis();
  redis = connectProducer(server.url, logger);
  await isReadyWithin(redis, 5_000);
  mailboxes = createMailboxes(redis);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

async function take(address: ActorAddress, handled: Handled) {
  const entries = await mailboxes.take(address, epoch, handled);
  if (entries === null) throw new Error('A newer activation has read the mailbox.');
  return entries;
}

const newAddress = () => `counter/${(boxes += 1)}` as const;
const envelope = (id: string, changes: Partial<Envelope> = {}): Envelope => ({
  id,
  replyTo: 'nobody',
  timeoutMs: 60_000,
  command: { step: id },
  ...changes,
});
const many = (count: number) => Array.from({ length: count }, (_, index) => envelope(`${index}`));

test('messages come out whole and in order, and stay until they are reported as handled', async () => {
  const address = newAddress();
  const cause = { requestId: 'request-0123456789', traceparent };
  const sent = [envelope('a', { cause }), envelope('b', { cause: {} }), envelope('c', { cause: {} })];
  expect(await mailboxes.append(address, sent)).toEqual({ taken: 3, needsWake: true });
  expect(await mailboxes.append(address, [envelope('d', { cause: {} })])).toEqual({
    taken: 1,
    needsWake: false,
  });
  const first = await take(address, nothing);
  expect(first.map((entry) => entry.envelope)).toEqual([...sent, envelope('d', { cause: {} })]);
  expect(first.map(({ isLate }) => isLate)).toEqual([false, false, false, false]);
  const rest = await take(address, {
    ...nothing,
    entryIds: [first[0]!.entryId, first[2]!.entryId],
  });
  expect(rest.map(({ entryId, envelope: found }) => [entryId, found])).toEqual(
    [first[1]!, first[3]!].map(({ entryId, envelope: found }) => [entryId, found]),
  );
  expect(await take(address, { ...nothing, entryIds: rest.map(({ entryId }) => entryId) })).toEqual([]);
  expect(await redis.keys(redisNames.mailbox(address))).toEqual([]);
});

test('a message that was appended before a failover is stale, because it may have been answered', async () => {
  const address = newAddress();
  await mailboxes.append(address, [envelope('before')]);
  await redis.call('REPLICAOF', '127.0.0.1', '1');
  await redis.call('REPLICAOF', 'NO', 'ONE');
  await mailboxes.append(address, [envelope('after')]);
  const entries = await take(address, nothing);
  expect(entries.map(({ envelope: found, isStale }) => [found?.id, isStale])).toEqual([
    ['before', true],
    ['after', false],
  ]);
});

test('takes the first messages that fit, and returns at most one batch', async () => {
  const address = newAddress();
  await mailboxes.append(address, many(mailboxMax - 1));
  expect(await mailboxes.append(address, [envelope('last'), envelope('too many')])).toEqual({
    taken: 1,
    needsWake: false,
  });
  expect(await mailboxes.append(address, [envelope('more')])).toEqual({ taken: 0, needsWake: false });
  expect(await redis.xlen(redisNames.mailbox(address))).toBe(mailboxMax);
  const entries = await take(address, nothing);
  expect(entries.map((entry) => entry.envelope?.id)).toEqual(many(256).map(({ id }) => id));
  // Redis itself expires an abandoned mailbox.
  expect(await redis.pttl(redisNames.mailbox(address))).toBeWithin(60_000, 120_001);
  await redis.del(redisNames.mailbox(address));
});

test('a message is late after its timeout, and not before', async () => {
  const address = newAddress();
  await mailboxes.append(address, [envelope('short', { timeoutMs: 1 }), envelope('long')]);
  await Bun.sleep(10);
  const entries = await take(address, nothing);
  expect(entries.map(({ isLate }) => isLate)).toEqual([true, false]);
  // By Redis time, to the millisecond: a message that has waited exactly its timeout is not late.
  const now = await redis.time();
  const nowMs = Number(now[0]) * 1_000 + Math.floor(Number(now[1]) / 1_000);
  expect(Number.parseInt(entries[0]!.entryId, 10)).toBeWithin(nowMs - 60_000, nowMs + 1);
});

test.each([
  ['no JSON', 'not JSON'],
  ['no envelope', '{"id":"a"}'],
  ['a field of another type', JSON.stringify({ ...envelope('a'), timeoutMs: 'soon' })],
])('%s is reported as unreadable, so that it can be dropped', async (_, text) => {
  const address = newAddress();
  await redis.xadd(redisNames.mailbox(address), '*', 'm', text);
  const [entry] = await take(address, nothing);
  expect(entry?.envelope).toBeNull();
  expect(await take(address, { ...nothing, entryIds: [entry!.entryId] })).toEqual([]);
});

test('results are sent to their senders together with the deletion of the handled messages', async () => {
  const address = newAddress();
  await mailboxes.append(address, [envelope('a')]);
  const [entry] = await take(address, nothing);
  const heard: string[][] = [];
  const listener = connectSubscriber(server.url, createLogger({ name: 'test', level: 'silent' }));
  listener.on('message', (channel: string, text: string) => void heard.push([channel, text]));
  await listener.subscribe('hub:replies:me');
  const results = [{ replyTo: 'me', id: 'a', result: { reply: 7 } }];
  await take(address, { entryIds: [entry!.entryId], results });
  await waitUntil(async () => heard.length > 0);
  listener.disconnect();
  expect(heard).toEqual([['hub:replies:me', '[["a",{"reply":7}]]']]);
});

test('a call publishes its wakes once, to a process that has registered recently and listens; without one, the caller must wake', async () => {
  await redis.flushall();
  const [one, other, empty] = [newAddress(), newAddress(), newAddress()];
  const posting = (address: ActorAddress, wakes: WakeWhen) => ({
    address,
    envelopes: [envelope('a')],
    wakes,
  });
  const channel = `${redisNames.wakes}listener`;
  await mailboxes.registerListener(channel, false);
  expect(await mailboxes.append(empty, [envelope('a')])).toEqual({ taken: 1, needsWake: true });
  expect(await redis.zcard(redisNames.wakeListeners())).toBe(0); // Nobody listens.

  const heard: string[] = [];
  const listener = connectSubscriber(server.url, createLogger({ name: 'test', level: 'silent' }));
  listener.on('message', (_channel: string, text: string) => void heard.push(text));
  await listener.subscribe(channel);
  await mailboxes.registerListener(channel, false);
  const postings = [posting(one, 'if empty'), posting(empty, 'if empty'), posting(other, 'always')];
  expect(await mailboxes.appendAll([...postings, posting(one, 'never')])).toEqual(
    Array.from({ length: 4 }, () => ({ taken: 1, needsWake: false })),
  );
  await waitUntil(async () => heard.length > 0);
  expect(heard).toEqual([`${one} ${other}`]);

  await redis.zadd(redisNames.wakeListeners(), Date.now() - listenerKeptMs - 1_000, channel);
  expect(await mailboxes.append(one, [envelope('b')], 'always')).toEqual({ taken: 1, needsWake: true });
  listener.disconnect();
});

test('one process receives all direct wakes, and one more for each that is busy', async () => {
  await redis.flushall();
  const heard = new Map<string, string[]>();
  const listener = connectSubscriber(server.url, createLogger({ name: 'test', level: 'silent' }));
  listener.on('message', (channel: string, text: string) => {
    heard.set(channel, [...(heard.get(channel) ?? []), ...text.split(' ')]);
  });
  const channels = ['1', '2', '3'].map((name) => `${redisNames.wakes}${name}`);
  const [first = '', second = ''] = channels;
  await listener.subscribe(...channels);
  const register = async (...busy: string[]): Promise<void> => {
    for (const channel of channels) await mailboxes.registerListener(channel, busy.includes(channel));
  };
  const addresses = Array.from({ length: 40 }, newAddress);
  /** The channels in use, each with its share of the actors. */
  const wakeAll = async (): Promise<ReadonlyMap<string, readonly string[]>> => {
    heard.clear();
    const requests = addresses.map((address) => ({
      address,
      envelopes: [envelope('a')],
      wakes: 'always' as const,
    }));
    await mailboxes.appendAll(requests);
    await waitUntil(async () => [...heard.values()].flat().length === addresses.length);
    expect([...heard.values()].flat().toSorted()).toEqual(addresses.toSorted());
    return new Map(heard);
  };

  await register();
  expect([...(await wakeAll()).keys()]).toEqual([first]);
  await register(first);
  const shared = await wakeAll();
  expect([...shared.keys()].toSorted()).toEqual([first, second]);
  await register();
  expect(await wakeAll()).toEqual(shared);
  await register(second);
  expect([...(await wakeAll()).keys()].toSorted()).toEqual(channels);
  await redis.zadd(redisNames.busyWakeListeners(), Date.now() - busyKeptMs - 1_000, first);
  expect([...(await wakeAll()).keys()].toSorted()).toEqual([first, second]);
  listener.disconnect();
});

test('mailboxes read in one turn share a call, and each is fenced on its own', async () => {
  const [one, fenced, other] = [newAddress(), newAddress(), newAddress()];
  for (const address of [one, fenced, other]) await mailboxes.append(address, [envelope('a')]);
  const handledOf = (address: ActorAddress, entries: readonly MailboxEntry[] | null) => ({
    entryIds: (entries ?? []).map(({ entryId }) => entryId),
    results: [{ replyTo: 'both', id: address, result: { reply: 1 } }],
  });
  const first = await Promise.all([one, fenced, other].map((address) => mailboxes.take(address, 1, nothing)));
  await mailboxes.take(fenced, 2, nothing);
  const heard: string[] = [];
  const listener = connectSubscriber(server.url, createLogger({ name: 'test', level: 'silent' }));
  listener.on('message', (_channel: string, text: string) => void heard.push(text));
  await listener.subscribe('hub:replies:both');
  const calls = async () => /cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1];
  const before = Number(await calls());
  const rest = await Promise.all(
    [one, fenced, other].map((address, index) =>
      mailboxes.take(address, 1, handledOf(address, first[index] ?? null)),
    ),
  );
  expect(rest).toEqual([[], null, []]);
  expect(Number(await calls()) - before).toBe(1);
  await waitUntil(async () => heard.length > 0);
  listener.disconnect();
  expect(heard).toEqual([JSON.stringify([one, other].map((address) => [address, { reply: 1 }]))]);
  expect(await redis.xlen(redisNames.mailbox(fenced))).toBe(1);
});

test('the sweep finds a mailbox that has been neither empty nor read for a second, once per second, until it is empty', async () => {
  await redis.flushall();
  const [old, other] = [newAddress(), newAddress()];
  await mailboxes.append(old, [envelope('a')]);
  expect(await mailboxes.findWaiting(10)).toEqual([]);
  await Bun.sleep(1_010);
  await take(old, nothing);
  expect(await mailboxes.findWaiting(10)).toEqual([]);
  await Bun.sleep(1_010);
  await mailboxes.append(other, [envelope('a')]);
  // More messages do not make an old mailbox younger.
  await mailboxes.append(old, [envelope('b')]);
  expect(await mailboxes.findWaiting(0)).toEqual([]);
  expect(await mailboxes.findWaiting(10)).toEqual([old]);
  expect(await mailboxes.findWaiting(10)).toEqual([]);
  const entries = await take(old, nothing);
  await take(old, { ...nothing, entryIds: entries.map(({ entryId }) => entryId) });
  expect(await redis.zrange(redisNames.mailboxes(mailboxShardOf(other)), '0', '-1')).toEqual([other]);
});

test('once an epoch has read a mailbox, older ones cannot, and an epoch deletes only what it has read', async () => {
  const address = newAddress();
  await mailboxes.append(address, [envelope('a'), envelope('b')]);
  const [first, second] = (await mailboxes.take(address, 5, nothing)) ?? [];
  const handled = { ...nothing, entryIds: [first!.entryId] };
  // Epoch 6 has not read the mailbox yet, so it cannot have handled the entry.
  expect(await mailboxes.take(address, 6, handled)).toHaveLength(2);
  expect(await mailboxes.take(address, 5, handled)).toBeNull();
  expect(await redis.xlen(redisNames.mailbox(address))).toBe(2);
  expect((await mailboxes.take(address, 6, handled))?.map(({ entryId }) => entryId)).toEqual([
    second!.entryId,
  ]);
});
