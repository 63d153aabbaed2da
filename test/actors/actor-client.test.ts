/**
 * What a process that asks actors promises to those in it that wait, over a real Redis: every question ends, once, and by
 * its own result. The test reads the mailboxes and results in place of a worker, so that it decides what comes when.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { Queue } from 'bullmq';
import type { ActorAddress, AnyActorType } from '#actors/actor-type.ts';
import { type ActorClient, type AskOptions, createActorClient } from '#actors/actor-client.ts';
import { asksMax, mailboxMax } from '#actors/limits.ts';
import { createMailboxes, type Envelope, type Mailboxes } from '#actors/mailbox.ts';
import { DomainError } from '#domain/errors.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { connectProducer, connectSubscriber, isReadyWithin, type Redis } from '#runtime/redis/redis.ts';
import { startTestRedis, type TestRedis } from '#test/harness/redis.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { createCounterActor } from './counter-actor.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
/** Generous: another process may have the machine for a while. */
const patient = { timeoutMs: 60_000 };
const nothing = { entryIds: [], results: [] };

let server: TestRedis;
let redis: Redis;
let subscriber: Redis;
let mailboxes: Mailboxes;
let client: ActorClient;
let addresses = 0;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectProducer(server.url, logger);
  await isReadyWithin(redis, 5_000);
  mailboxes = createMailboxes(redis);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(async () => {
  subscriber = connectSubscriber(server.url, logger);
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
/** Whatever it replies is the reply. */
const echoActor: AnyActorType = { ...createCounterActor(), readReply: (_, value) => value };
const idOf = (address: ActorAddress): string => address.slice('counter/'.length);
const ask = (address: ActorAddress, command: unknown, options: AskOptions) =>
  client.ask(echoActor, idOf(address), command, options);
const newAddress = (): ActorAddress => `counter/${(addresses += 1)}`;
const outcomeOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.catch((error: unknown) => (error instanceof DomainError ? `${error.code}: ${error.message}` : error));

interface Message {
  readonly entryId: string;
  readonly envelope: Envelope;
}

/** Waits for `count` messages in a mailbox, which stay there. */
async function read(address: ActorAddress, count: number): Promise<readonly Message[]> {
  await waitUntil(async () => (await redis.xlen(`hub:mailbox:${address}`)) >= count);
  const entries = await mailboxes.take(address, nothing);
  return entries.map(({ entryId, envelope }) => {
    if (envelope === null) throw new Error('A message of the client cannot be read.');
    return { entryId, envelope };
  });
}

/** Answers each message with its own command. */
const echo = (address: ActorAddress, entries: readonly Pick<Message, 'envelope'>[]) =>
  mailboxes.take(address, {
    ...nothing,
    results: entries.map(({ envelope: { replyTo, id, command } }) => ({
      replyTo,
      id,
      result: { reply: command },
    })),
  });

test('what is asked in one turn goes to each mailbox in one piece, in order, and each gets the result to its own', async () => {
  const [one, other] = [newAddress(), newAddress()];
  const names = ['a', 'b', 'c'];
  const asked = names.map((name) => ask(one, name, patient));
  asked.push(ask(other, 'd', patient));
  const inOne = await read(one, 3);
  expect(inOne.map(({ envelope }) => envelope.command)).toEqual(names);
  await echo(one, inOne.toReversed());
  await echo(other, await read(other, 1));
  expect(await Promise.all(asked)).toEqual([...names, 'd']);
  const next = ask(one, 'e', patient);
  await echo(one, (await read(one, 4)).slice(3));
  expect(await next).toBe('e');
});

test('an result that nobody waits for is passed over, and those behind it in the same message are given out', async () => {
  const address = newAddress();
  const asked = ask(address, 'a', patient);
  const [message] = await read(address, 1);
  const stranger = { envelope: { ...message!.envelope, id: 'given up long ago' } };
  await echo(address, [stranger, message!]);
  expect(await asked).toBe('a');
  // A worker that died behind its commit has its messages answered once more.
  const again = ask(address, 'b', patient);
  await echo(address, await read(address, 2));
  expect(await again).toBe('b');
});

test('an result that is there before Redis has confirmed the command counts, and those beside it wait for theirs', async () => {
  const address = newAddress();
  const first = ask(address, 'first', patient);
  const [message] = await read(address, 1);
  const { replyTo } = message!.envelope;
  const asked = ['quick', 'slow'].map((name) => ask(address, name, patient));
  const quick = [`${replyTo}.2`, { reply: 'already' }];
  subscriber.emit('message', `hub:replies:${replyTo}`, JSON.stringify([quick]));
  expect(await asked[0]).toBe('already');
  await echo(address, await read(address, 3));
  expect(await Promise.all([first, asked[1]])).toEqual(['first', 'slow']);
});

test('who gets no result is told so after its time, and not before', async () => {
  const address = newAddress();
  const startedAt = performance.now();
  expect(await outcomeOf(ask(address, 'a', { timeoutMs: 50 }))).toBe(
    'queue_unavailable: No reply within 50 ms.',
  );
  expect(performance.now() - startedAt).toBeGreaterThan(45);
});

test('who finds no room in the mailbox is told at once, while who found the last place waits for its result', async () => {
  const address = newAddress();
  const filling = Array.from({ length: mailboxMax - 1 }, (_, index) => ({
    id: `${index}`,
    replyTo: 'nobody',
    timeoutMs: 60_000,
    command: index,
  }));
  await mailboxes.append(address, filling);
  const [last, refused] = [ask(address, 'last', patient), ask(address, 'refused', patient)];
  expect(await outcomeOf(refused)).toBe('queue_unavailable: Too many requests are waiting.');
  const [entry] = await redis.xrevrange(`hub:mailbox:${address}`, '+', '-', 'COUNT', 1);
  const envelope = JSON.parse(entry![1][1]!) as Envelope; // Written by the client.
  expect(envelope.command).toBe('last');
  await echo(address, [{ envelope }]);
  expect(await last).toBe('last');
});

test('a process has as many questions under way as it may, and the next ones are refused at once', async () => {
  const spread = Array.from({ length: 3 }, newAddress);
  const asked = Array.from({ length: asksMax }, (_, index) =>
    outcomeOf(ask(spread[index % spread.length]!, index, patient)),
  );
  expect(await outcomeOf(ask(newAddress(), 'one more', patient))).toBe(
    'queue_unavailable: Too many requests are waiting.',
  );
  // All that wait are told when the process ends, and none of them was refused for the one that was.
  await client.close();
  expect(new Set(await Promise.all(asked))).toEqual(
    new Set(['queue_unavailable: The server is shutting down.']),
  );
});

test('questions that were refused or answered make room for others', async () => {
  const full = newAddress();
  const asked = Array.from({ length: asksMax }, (_, index) => outcomeOf(ask(full, index, patient)));
  const refused = await Promise.all(asked.slice(mailboxMax));
  expect(new Set(refused)).toEqual(new Set(['queue_unavailable: Too many requests are waiting.']));
  const address = newAddress();
  const next = ask(address, 'next', patient);
  await echo(address, await read(address, 1));
  expect(await next).toBe('next');
});

/** The queue of wakes, as a worker sees it that takes none. */
async function withWakes(
  act: (areThere: () => Promise<boolean>, drop: () => Promise<void>) => Promise<void>,
) {
  const queue = new Queue('actor-wakes', { connection: redis, prefix: 'hub:queue' });
  const areThere = async (): Promise<boolean> => (await queue.getWaitingCount()) > 0;
  const drop = async (): Promise<void> => {
    await waitUntil(areThere);
    // BullMQ remembers by its address that a wake waits, until somebody has taken it.
    for (const job of await queue.getWaiting()) await queue.removeDeduplicationKey(String(job.data));
    await queue.obliterate({ force: true });
    expect(await areThere()).toBe(false);
  };
  try {
    await act(areThere, drop);
  } finally {
    await queue.close();
  }
}

test('a mailbox that was emptied while its first question still waits is woken again for the second', () =>
  withWakes(async (areThere, drop) => {
    const address = newAddress();
    const first = ask(address, 'a', patient);
    const [message] = await read(address, 1);
    await mailboxes.take(address, { ...nothing, entryIds: [message!.entryId] });
    await drop();
    const second = ask(address, 'b', patient);
    await waitUntil(areThere);
    await echo(address, [message!, ...(await read(address, 1))]);
    expect(await Promise.all([first, second])).toEqual(['a', 'b']);
  }));

test('once all was answered the next question wakes its actor again, though others’ messages lie in the mailbox', () =>
  withWakes(async (areThere, drop) => {
    const address = newAddress();
    const asked = ['a', 'b'].map((name) => ask(address, name, patient));
    await echo(address, await read(address, 2));
    expect(await Promise.all(asked)).toEqual(['a', 'b']);
    await drop();
    const next = ask(address, 'c', patient);
    await waitUntil(areThere);
    await echo(address, await read(address, 3));
    expect(await next).toBe('c');
  }));

test('while Redis is away every question is refused, with its cause', async () => {
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
