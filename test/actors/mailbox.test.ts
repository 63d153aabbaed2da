/** A mailbox in a real Redis: order, capacity, expiry, the sweep, and what happens when Redis refuses a step. */
import { beforeEach, expect, test } from 'bun:test';
import { mailboxMax, listenerKeptMs } from '#actors/limits.ts';
import type { ActorAddress } from '#actors/actor-type.ts';
import type { Taken, WakeWhen } from '#actors/mailbox.ts';
import { type Reply, replyTo } from '#actors/messages.ts';
import { mailboxShardOf, redisNames } from '#runtime/redis/redis-names.ts';
import { connectProducer, isReadyWithin } from '#runtime/redis/redis.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { deletionsOf, many, newAddress, wire } from './messages.ts';
import { listenTo, useConnections } from './connections.ts';

const epoch = 1;
const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;

const connections = useConnections();
const { redis, mailboxes } = connections;
beforeEach(() => redis.flushall());

/** Its messages are there, because no newer activation has read the mailbox. */
const take = async (address: ActorAddress, replies: readonly Reply[] = []): Promise<Taken> =>
  (await mailboxes.take(address, epoch, replies))!;
const scriptCalls = async (): Promise<number> =>
  Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1]);
const nothing: Taken = { messages: [], replies: [] };

test('messages come out whole and in order, and stay until they are reported as handled', async () => {
  const address = newAddress();
  const cause = { requestId: 'request-0123456789', traceparent };
  const sent = [wire('a', { cause }), wire('b', { cause: {} }), wire('c', { cause: {} })];
  expect(await mailboxes.append(address, sent)).toEqual({ taken: 3, needsWake: true });
  expect(await mailboxes.append(address, [wire('d', { cause: {} })])).toEqual({ taken: 1, needsWake: false });
  const { messages: first, replies } = await take(address);
  expect(replies).toEqual([]);
  const all = [...sent, wire('d', { cause: {} })];
  expect(first).toMatchObject(
    all.map((each) => ({ id: each.id, replyTo: each.replyTo, command: each.command, cause: each.cause })),
  );
  const { messages: rest } = await take(address, deletionsOf(first[0]!, first[2]!));
  expect(rest.map(({ entryId, id }) => [entryId, id])).toEqual(
    [first[1]!, first[3]!].map(({ entryId, id }) => [entryId, id]),
  );
  expect(await take(address, deletionsOf(...rest))).toEqual(nothing);
  expect(await redis.keys(redisNames.mailbox(address))).toEqual([]);
});

test('takes the first messages that fit, and returns at most one batch', async () => {
  const address = newAddress();
  await mailboxes.append(address, many(mailboxMax - 1));
  expect(await mailboxes.append(address, [wire('last'), wire('too many')])).toEqual({
    taken: 1,
    needsWake: false,
  });
  expect(await mailboxes.append(address, [wire('more')])).toEqual({ taken: 0, needsWake: false });
  expect(await redis.xlen(redisNames.mailbox(address))).toBe(mailboxMax);
  const { messages } = await take(address);
  expect(messages.map(({ id }) => id)).toEqual(many(256).map(({ id }) => id));
  // Redis itself expires an abandoned mailbox.
  expect(await redis.pttl(redisNames.mailbox(address))).toBeWithin(60_000, 120_001);
});

test('a message is late after its timeout, and not before', async () => {
  const address = newAddress();
  await mailboxes.append(address, [wire('short', { timeoutMs: 1 }), wire('long')]);
  await Bun.sleep(10);
  const { messages, replies } = await take(address);
  expect(messages.map(({ id }) => id)).toEqual(['long']);
  expect(replies).toMatchObject([{ id: 'short', result: null }]);
  // By Redis time, to the millisecond: a message that has waited exactly its timeout is not late.
  const now = await redis.time();
  const nowMs = Number(now[0]) * 1_000 + Math.floor(Number(now[1]) / 1_000);
  expect(Number.parseInt(replies[0]!.entryId, 10)).toBeWithin(nowMs - 60_000, nowMs + 1);
});

test.each([
  ['no JSON', 'not JSON'],
  ['no command', '{"id":"a"}'],
  ['a field of another type', JSON.stringify({ ...wire('a'), timeoutMs: 'soon' })],
])('%s is reported as unreadable, so that it can be dropped', async (_, text) => {
  const address = newAddress();
  await redis.xadd(redisNames.mailbox(address), '*', 'm', text);
  const { messages, replies } = await take(address);
  expect(messages).toEqual([]);
  expect(replies).toMatchObject([{ id: null, replyTo: null, result: null }]);
  expect(await take(address, replies)).toEqual(nothing);
});

test('a call publishes its wakes once, to a process that has registered recently and listens; without one, the caller must wake', async () => {
  const [one, other, empty] = [newAddress(), newAddress(), newAddress()];
  const posting = (address: ActorAddress, wakes: WakeWhen) => ({ address, commands: [wire('a')], wakes });
  const channel = `${redisNames.wakes}listener`;
  await mailboxes.registerListener(channel);
  expect(await mailboxes.append(empty, [wire('a')])).toEqual({ taken: 1, needsWake: true });
  expect(await redis.zcard(redisNames.wakeListeners())).toBe(0); // Nobody listens.

  using sent = await listenTo(connections.url, channel);
  await mailboxes.registerListener(channel);
  const postings = [posting(one, 'if empty'), posting(empty, 'if empty'), posting(other, 'always')];
  expect(await mailboxes.appendAll([...postings, posting(one, 'never')])).toEqual(
    Array.from({ length: 4 }, () => ({ taken: 1, needsWake: false })),
  );
  await waitUntil(async () => sent.heard.length > 0);
  expect(sent.heard).toEqual([[channel, `${one} ${other}`]]);

  await redis.zadd(redisNames.wakeListeners(), Date.now() - listenerKeptMs - 1_000, channel);
  expect(await mailboxes.append(one, [wire('b')], 'always')).toEqual({ taken: 1, needsWake: true });
});

test('direct wakes are divided by actor among the processes that have registered', async () => {
  const channels = ['1', '2', '3'].map((name) => `${redisNames.wakes}${name}`);
  using sent = await listenTo(connections.url, ...channels);
  const addresses = Array.from({ length: 40 }, newAddress);
  /** The channels in use, each with its share of the actors. */
  const wakeAll = async () => {
    sent.heard.length = 0;
    const woken = () =>
      sent.heard.flatMap(([channel, text]) => text.split(' ').map((actor) => [channel, actor] as const));
    await mailboxes.appendAll(
      addresses.map((address) => ({ address, commands: [wire('a')], wakes: 'always' as const })),
    );
    await waitUntil(async () => woken().length === addresses.length);
    const shares = woken().toSorted(([, one], [, other]) => (one < other ? -1 : 1));
    expect(shares.map(([, actor]) => actor)).toEqual(addresses.toSorted());
    return Map.groupBy(shares, ([channel]) => channel);
  };
  for (const [index, channel] of channels.entries()) {
    await mailboxes.registerListener(channel);
    const shares = await wakeAll();
    expect([...shares.keys()].toSorted()).toEqual(channels.slice(0, index + 1));
    expect(await wakeAll()).toEqual(shares);
  }
});

test('mailboxes read in one turn share a call, and each is fenced on its own', async () => {
  const [one, fenced, other] = [newAddress(), newAddress(), newAddress()];
  for (const address of [one, fenced, other]) await mailboxes.append(address, [wire('a')]);
  const repliesTo = (address: ActorAddress, taken: Taken | null | undefined): readonly Reply[] =>
    (taken?.messages ?? []).map(({ entryId }) => ({
      entryId,
      id: address,
      replyTo: 'both',
      result: { reply: 1 },
    }));
  const first = await Promise.all([one, fenced, other].map((address) => mailboxes.take(address, 1, [])));
  await mailboxes.take(fenced, 2, []);
  const channel = 'hub:replies:both';
  using sent = await listenTo(connections.url, channel);
  const before = await scriptCalls();
  const rest = await Promise.all(
    [one, fenced, other].map((address, index) =>
      mailboxes.take(address, 1, repliesTo(address, first[index])),
    ),
  );
  expect(rest).toEqual([nothing, null, nothing]);
  expect((await scriptCalls()) - before).toBe(1);
  await waitUntil(async () => sent.heard.length > 0);
  const replies = JSON.stringify([one, other].map((address) => [address, { reply: 1 }]));
  expect(sent.heard).toEqual([[channel, replies]]);
  expect(await redis.xlen(redisNames.mailbox(fenced))).toBe(1);
});

test('the sweep finds a mailbox that has been neither empty nor read for a second, once per second, until it is empty', async () => {
  const [old, other] = [newAddress(), newAddress()];
  await mailboxes.append(old, [wire('a')]);
  expect(await mailboxes.findWaiting(10)).toEqual([]);
  await Bun.sleep(1_010);
  await take(old);
  expect(await mailboxes.findWaiting(10)).toEqual([]);
  await Bun.sleep(1_010);
  await mailboxes.append(other, [wire('a')]);
  // More messages do not make an old mailbox younger.
  await mailboxes.append(old, [wire('b')]);
  expect(await mailboxes.findWaiting(0)).toEqual([]);
  expect(await mailboxes.findWaiting(10)).toEqual([old]);
  expect(await mailboxes.findWaiting(10)).toEqual([]);
  await take(old, deletionsOf(...(await take(old)).messages));
  expect(await redis.zrange(redisNames.mailboxes(mailboxShardOf(other)), '0', '-1')).toEqual([other]);
});

test('one call sweeps the mailboxes of all shards', async () => {
  const addresses = Array.from({ length: 100 }, newAddress);
  await mailboxes.appendAll(addresses.map((address) => ({ address, commands: [wire('a')], wakes: 'never' })));
  await mailboxes.findWaiting(10);
  await Bun.sleep(1_010);
  const before = await scriptCalls();
  const found = await mailboxes.findWaiting(10);
  expect((await scriptCalls()) - before).toBe(1);
  expect(found.toSorted()).toEqual(addresses.toSorted());
});

test('once an epoch has read a mailbox, older ones cannot, and an epoch deletes only what it has read', async () => {
  const address = newAddress();
  await mailboxes.append(address, [wire('a'), wire('b')]);
  const [first, second] = (await mailboxes.take(address, 5, []))?.messages ?? [];
  const handled = deletionsOf(first!);
  // Epoch 6 has not read the mailbox yet, so it cannot have handled the entry.
  expect((await mailboxes.take(address, 6, handled))?.messages).toHaveLength(2);
  expect(await mailboxes.take(address, 5, handled)).toBeNull();
  expect(await redis.xlen(redisNames.mailbox(address))).toBe(2);
  expect((await mailboxes.take(address, 6, handled))?.messages.map(({ entryId }) => entryId)).toEqual([
    second!.entryId,
  ]);
});

test('a mailbox that cannot be written to fails only its own commands: the others are appended and woken', async () => {
  const [before, broken, after] = [newAddress(), newAddress(), newAddress()];
  await redis.set(redisNames.mailbox(broken), 'of another type');
  const channel = `${redisNames.wakes}listener`;
  using wakes = await listenTo(connections.url, channel);
  await mailboxes.registerListener(channel);
  const postings = [before, broken, after].map((address, index) => ({
    address,
    commands: many(index + 1),
    wakes: 'if empty' as const,
  }));
  const [first, failed, last] = await mailboxes.appendAll(postings);
  expect([first, last]).toEqual([
    { taken: 1, needsWake: false },
    { taken: 3, needsWake: false },
  ]);
  expect(failed).toBeInstanceOf(Error);
  await expect(mailboxes.append(broken, [wire('a')])).rejects.toThrow('WRONGTYPE');
  await waitUntil(async () => wakes.heard.length > 0);
  expect(wakes.heard).toEqual([[channel, `${before} ${after}`]]);
  expect(await redis.zscore(redisNames.mailboxes(mailboxShardOf(broken)), broken)).toBeNull();
  expect((await take(after)).messages.map(({ id }) => id)).toEqual(['0', '1', '2']);
});

test('a mailbox that cannot be read does not hold up those read in the same turn, and their replies are sent', async () => {
  const [full, broken, handled, idle] = [newAddress(), newAddress(), newAddress(), newAddress()];
  for (const address of [full, handled, idle]) await mailboxes.append(address, [wire('a')]);
  await redis.set(redisNames.mailbox(broken), 'of another type');
  const [message] = (await take(handled)).messages;
  await take(idle);
  const channel = 'hub:replies:nobody';
  using sent = await listenTo(connections.url, channel);
  // The first reading of an activation needs memory, to store the epoch.
  await redis.config('SET', 'maxmemory', 1);
  try {
    const [first, next, reply, look] = await Promise.allSettled([
      mailboxes.take(full, epoch, []),
      mailboxes.take(broken, epoch, []),
      mailboxes.take(handled, epoch, [replyTo(message!, { reply: 1 })]),
      mailboxes.take(idle, epoch, []),
    ]);
    expect([first.status, next.status]).toEqual(['rejected', 'rejected']);
    expect(reply).toEqual({ status: 'fulfilled', value: { messages: [], replies: [] } });
    expect(look).toMatchObject({ value: { messages: [{ id: 'a' }] } });
    await waitUntil(async () => sent.heard.length > 0);
    expect(sent.heard).toEqual([[channel, '[["a",{"reply":1}]]']]);
  } finally {
    await redis.config('SET', 'maxmemory', 0);
  }
});

test('leaves a Redis that has become a replica, whether it appends or takes', async () => {
  const address = newAddress();
  await mailboxes.append(address, [wire('a')]);
  const control = connectProducer(connections.url, logger);
  await isReadyWithin(control, 5_000);
  const attempts = [() => mailboxes.append(address, [wire('b')]), () => mailboxes.take(address, epoch, [])];
  for (const attempt of attempts) {
    const before = await redis.client('ID');
    await control.replicaof('127.0.0.1', 1);
    await expect(attempt()).rejects.toThrow();
    // On a busy machine, the first attempt may fail for another reason than the role of the server.
    await waitUntil(async () => {
      const hasLeft = (await redis.client('ID').catch(() => before)) !== before;
      if (!hasLeft) await attempt().catch(() => undefined);
      return hasLeft;
    });
    await control.replicaof('NO', 'ONE');
  }
  control.disconnect();
});
