/**
 * The actor client over a real Redis: every request ends once, with its own result. The test plays the
 * worker, so that it decides when results arrive.
 */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { ActorAddress, AnyActorType } from '#actors/actor-type.ts';
import { type ActorClient, type AskOptions, createActorClient } from '#actors/actor-client.ts';
import { asksMax, mailboxMax } from '#actors/limits.ts';
import { type Message, replyTo, type Wire } from '#actors/messages.ts';
import { DomainError } from '#domain/errors.ts';
import { wakeQueue } from '#domain/jobs/job-kinds.ts';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { connectProducer, connectSubscriber, isReadyWithin, type Redis } from '#runtime/redis/redis.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { createCounterActor } from './counter-actor.ts';
import { deletionsOf, many, newAddress } from './messages.ts';
import { useConnections } from './connections.ts';

/** Generous: another process may occupy the machine for a while. */
const patient = { timeoutMs: 60_000 };
const epoch = 1;

const connections = useConnections();
const { redis, mailboxes } = connections;
let subscriber: Redis;
let client: ActorClient;

beforeEach(async () => {
  subscriber = connectSubscriber(connections.url, logger);
  client = createActorClient(redis, subscriber, logger);
  await waitUntil(async () => (await listeners()) === 1);
});
afterEach(async () => {
  await client.close();
  subscriber.disconnect();
  await redis.flushall();
  await waitUntil(async () => (await listeners()) === 0);
});

const listeners = async (): Promise<number> => (await redis.pubsub('CHANNELS', 'hub:replies:*')).length;
/** Returns any reply unchanged. */
const echoActor: AnyActorType = { ...createCounterActor(), readReply: (_, value) => value };
const idOf = (address: ActorAddress): string => address.slice('counter/'.length);
const ask = (address: ActorAddress, command: unknown, options: AskOptions) =>
  client.ask(echoActor, idOf(address), command, options);
const outcomeOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.catch((error: unknown) => (error instanceof DomainError ? `${error.code}: ${error.message}` : error));

/** Waits until the mailbox has `count` messages, and leaves them there. */
async function read(address: ActorAddress, count: number): Promise<readonly Message[]> {
  await waitUntil(async () => (await redis.xlen(redisNames.mailbox(address))) >= count);
  return (await mailboxes.take(address, epoch, []))?.messages ?? [];
}

/** An id that no entry has. */
const noEntry = '0-1';

/** Replies to each message with its own command, and leaves it in the mailbox. */
const echo = (address: ActorAddress, messages: readonly Omit<Message, 'deadline' | 'entryId'>[]) =>
  mailboxes.take(
    address,
    epoch,
    messages.map((message) =>
      replyTo({ ...message, entryId: noEntry, deadline: 0 }, { reply: message.command }),
    ),
  );

test('commands of one turn go to each mailbox in one call, in order, and each gets its own reply', async () => {
  const [one, other] = [newAddress(), newAddress()];
  const names = ['a', 'b', 'c'];
  const asked = names.map((name) => ask(one, name, patient));
  asked.push(ask(other, 'd', patient));
  const inOne = await read(one, 3);
  expect(inOne.map(({ command }) => command)).toEqual(names);
  await echo(one, inOne.toReversed());
  await echo(other, await read(other, 1));
  expect(await Promise.all(asked)).toEqual([...names, 'd']);
  const next = ask(one, 'e', patient);
  await echo(one, (await read(one, 4)).slice(3));
  expect(await next).toBe('e');
});

test('ignores a result that nobody waits for, and delivers the others of the same message', async () => {
  const address = newAddress();
  const asked = ask(address, 'a', patient);
  const [message] = await read(address, 1);
  const stranger = { ...message!, id: 'given up long ago' };
  await echo(address, [stranger, message!]);
  expect(await asked).toBe('a');
  // A worker that died after its commit sends its results again.
  const again = ask(address, 'b', patient);
  await echo(address, await read(address, 2));
  expect(await again).toBe('b');
});

test('a result that arrives before Redis confirms the command counts, and other commands wait for theirs', async () => {
  const address = newAddress();
  const first = ask(address, 'first', patient);
  const [message] = await read(address, 1);
  const { replyTo: sender } = message!;
  const asked = ['quick', 'slow'].map((name) => ask(address, name, patient));
  const quick = [`${sender}.2`, { reply: 'already' }];
  subscriber.emit('message', `hub:replies:${sender}`, JSON.stringify([quick]));
  expect(await asked[0]).toBe('already');
  await echo(address, await read(address, 3));
  expect(await Promise.all([first, asked[1]])).toEqual(['first', 'slow']);
});

test('a command without a reply fails after its timeout, and not before', async () => {
  const address = newAddress();
  const startedAt = performance.now();
  expect(await outcomeOf(ask(address, 'a', { timeoutMs: 50 }))).toBe(
    'queue_unavailable: No reply within 50 ms.',
  );
  expect(performance.now() - startedAt).toBeGreaterThan(45);
});

test('a full mailbox refuses a command at once, and the command that took the last place gets its reply', async () => {
  const address = newAddress();
  await mailboxes.append(address, many(mailboxMax - 1));
  const [last, refused] = [ask(address, 'last', patient), ask(address, 'refused', patient)];
  expect(await outcomeOf(refused)).toBe('queue_unavailable: Too many requests are waiting.');
  const [entry] = await redis.xrevrange(redisNames.mailbox(address), '+', '-', 'COUNT', 1);
  const wire = JSON.parse(entry![1][1]!) as Wire; // Written by the client.
  expect(wire.command).toBe('last');
  await read(address, 1);
  await echo(address, [wire]);
  expect(await last).toBe('last');
});

test('a process at its limit of outstanding commands refuses further ones at once', async () => {
  const spread = Array.from({ length: 3 }, newAddress);
  const asked = Array.from({ length: asksMax }, (_, index) =>
    outcomeOf(ask(spread[index % spread.length]!, index, patient)),
  );
  expect(await outcomeOf(ask(newAddress(), 'one more', patient))).toBe(
    'queue_unavailable: Too many requests are waiting.',
  );
  // Closing settles every outstanding command; the refused one did not displace any.
  await client.close();
  expect(new Set(await Promise.all(asked))).toEqual(
    new Set(['queue_unavailable: The server is shutting down.']),
  );
});

test('refused and finished commands make room for others', async () => {
  const full = newAddress();
  const asked = Array.from({ length: asksMax }, (_, index) => outcomeOf(ask(full, index, patient)));
  const refused = await Promise.all(asked.slice(mailboxMax));
  expect(new Set(refused)).toEqual(new Set(['queue_unavailable: Too many requests are waiting.']));
  const address = newAddress();
  const next = ask(address, 'next', patient);
  await echo(address, await read(address, 1));
  expect(await next).toBe('next');
});

/** The queue of wakes without a worker. */
function watchWakes() {
  const queue = openQueue(redis, wakeQueue, logger);
  const areThere = async (): Promise<boolean> => (await queue.getWaitingCount()) > 0;
  const drop = async (): Promise<void> => {
    await waitUntil(areThere);
    // BullMQ deduplicates a wake until a worker has taken it.
    for (const job of await queue.getWaiting()) await queue.removeDeduplicationKey(String(job.data));
    await queue.obliterate({ force: true });
    expect(await areThere()).toBe(false);
  };
  return { areThere, drop };
}

test('wakes the actor for a second command when its mailbox was emptied and the first is still outstanding', async () => {
  const { areThere, drop } = watchWakes();
  const address = newAddress();
  const first = ask(address, 'a', patient);
  const [message] = await read(address, 1);
  await mailboxes.take(address, epoch, deletionsOf(message!));
  await drop();
  const second = ask(address, 'b', patient);
  await waitUntil(areThere);
  await echo(address, [message!, ...(await read(address, 1))]);
  expect(await Promise.all([first, second])).toEqual(['a', 'b']);
});

test('with nothing outstanding, the next command wakes the actor, even if the mailbox holds messages of others', async () => {
  const { areThere, drop } = watchWakes();
  const address = newAddress();
  const asked = ['a', 'b'].map((name) => ask(address, name, patient));
  await echo(address, await read(address, 2));
  expect(await Promise.all(asked)).toEqual(['a', 'b']);
  await drop();
  const next = ask(address, 'c', patient);
  await waitUntil(areThere);
  await echo(address, await read(address, 3));
  expect(await next).toBe('c');
});

test('while Redis is away, refuses every command and keeps the cause', async () => {
  const gone = await startTestRedis();
  const [commands, results] = [connectProducer(gone.url, logger), connectSubscriber(gone.url, logger)];
  await isReadyWithin(commands, 5_000);
  const own = createActorClient(commands, results, logger);
  await gone.stop();
  await waitUntil(async () => commands.status !== 'ready');
  const address = newAddress();
  const refusals = await Promise.all(
    ['a', 'b'].map((name) =>
      own.ask(echoActor, idOf(address), name, patient).catch((error: unknown) => error),
    ),
  );
  for (const refusal of refusals) {
    expect(refusal).toMatchObject({ code: 'queue_unavailable', message: 'The queue cannot be reached.' });
    expect((refusal as DomainError).extras.cause).toBeInstanceOf(Error);
  }
  await own.close();
  commands.disconnect();
  results.disconnect();
});
