/** What a mailbox does when Redis refuses a step: other mailboxes of the same call are not affected. */
import { beforeEach, expect, test } from 'bun:test';
import type { ActorAddress } from '#actors/actor-type.ts';
import { replyTo } from '#actors/messages.ts';
import { mailboxShardOf, redisNames } from '#runtime/redis/redis-names.ts';
import { connectProducer, isReadyWithin } from '#runtime/redis/redis.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { listenTo, useConnections } from './connections.ts';
import { many, newAddress, wire } from './messages.ts';

const epoch = 1;

const connections = useConnections();
const { redis, mailboxes } = connections;
beforeEach(() => redis.flushall());

const take = async (address: ActorAddress) => (await mailboxes.take(address, epoch, []))!.messages;

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
  expect((await take(after)).map(({ id }) => id)).toEqual(['0', '1', '2']);
});

test('a mailbox that cannot be read does not hold up those read in the same turn, and their replies are sent', async () => {
  const [full, broken, handled, idle] = [newAddress(), newAddress(), newAddress(), newAddress()];
  for (const address of [full, handled, idle]) await mailboxes.append(address, [wire('a')]);
  await redis.set(redisNames.mailbox(broken), 'of another type');
  const [message] = await take(handled);
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
