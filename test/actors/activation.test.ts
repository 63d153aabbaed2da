/**
 * One activation over a real mailbox and database: what it handles, replies to, drops, and leaves for the
 * next one.
 */
import { beforeAll, beforeEach, expect, test } from 'bun:test';
import { type SQL, sql } from 'drizzle-orm';
import { isDatabaseUnavailable } from '#db/errors.ts';
import { openDatabase } from '#db/open-database.ts';
import { type ActivationDeps, type Claims, createClaims, runActivation } from '#actors/activation.ts';
import { createCommitter } from '#actors/committer.ts';
import { batchMax, lingerFromMessages, lingerLooks } from '#actors/limits.ts';
import type { Mailboxes } from '#actors/mailbox.ts';
import { resultOf, type Wire } from '#actors/messages.ts';
import { withTransaction } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { mailboxShardOf, redisNames } from '#runtime/redis/redis-names.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { createRecordingLogger } from '#test/harness/recording-logger.ts';
import { useScratchStore } from '#test/harness/stores.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { useConnections } from './connections.ts';
import { firstEpoch, useCounters } from './counter-actor.ts';
import { wire } from './messages.ts';

const { logger, lines } = createRecordingLogger();

const channel = `${redisNames.replies}me`;

const store = useScratchStore('sqlite');
const { type, create, read } = useCounters(store);
const { redis, subscriber, mailboxes } = useConnections();
let results: [string, unknown][] = [];
let id: string;

beforeAll(async () => {
  subscriber.on(
    'message',
    (_, text: string) => void results.push(...(JSON.parse(text) as [string, unknown][])),
  );
  await subscriber.subscribe(channel);
});
beforeEach(async () => {
  lines.length = 0;
  // The results of the test before may still be on their way.
  await redis.publish(channel, JSON.stringify([['the last', null]]));
  await waitUntil(async () => results.some(([name]) => name === 'the last'));
  results = [];
  id = await create();
});

const message = (name: string, changes: Partial<Wire> = {}): Wire =>
  wire(name, { replyTo: 'me', command: { step: `${id} ${name}` }, ...changes });
const messages = (count: number) => Array.from({ length: count }, (_, index) => message(`${index}`));
const post = (...commands: readonly Wire[]) => mailboxes.append(`counter/${id}`, commands);
/** The claims of another process. */
const newClaims = () =>
  createClaims((actorIds) => withTransaction(createTestCtx(store.db), (ctx) => type.claim(ctx, actorIds)));
const left = () => redis.xlen(redisNames.mailbox(`counter/${id}`));

function activate(changes: Partial<ActivationDeps> = {}): Promise<boolean> {
  const deps = {
    type,
    committer: createCommitter(createTestCtx(store.db), type, logger),
    mailboxes,
    claims: newClaims(),
    logger,
    isTurnOver: async () => false,
    ...changes,
  };
  return runActivation(deps, `counter/${id}`, id);
}
const row = () => read(id);
async function answered(count: number): Promise<[string, unknown][]> {
  await waitUntil(async () => results.length >= count);
  return results;
}

test('handles everything in the mailbox in order, in batches of one activation, and replies', async () => {
  const names = messages(batchMax + 10).map((one) => one.id);
  await post(...messages(batchMax + 10));
  expect(await activate()).toBe(false);
  const told = await answered(names.length);
  expect(told).toEqual(names.map((name, index) => [name, { reply: { value: index + 1 } }]));
  // The second batch did not claim the actor again.
  expect(await row()).toMatchObject({ value: batchMax + 10, epoch: firstEpoch + 1 });
  expect(await left()).toBe(0);
});

test('refuses commands that were sent before Redis failed over, and handles later ones', async () => {
  await post(message('before'));
  await redis.call('REPLICAOF', '127.0.0.1', '1');
  await redis.call('REPLICAOF', 'NO', 'ONE');
  await post(message('after'));
  await activate();
  const refused = { refusal: expect.objectContaining({ code: 'queue_unavailable' }) };
  expect(await answered(2)).toEqual([
    ['before', refused],
    ['after', { reply: { value: 1 } }],
  ]);
  expect(await left()).toBe(0);
});

test('drops and logs unreadable entries, and reports an internal error to the sender of an unreadable command', async () => {
  await redis.xadd(redisNames.mailbox(`counter/${id}`), '*', 'm', 'not JSON');
  await post(
    message('bad', { command: 'none', cause: { requestId: 'request-0123456789' } }),
    message('good'),
  );
  await activate();
  expect(await answered(2)).toEqual([
    ['bad', { fault: true }],
    ['good', { reply: { value: 1 } }],
  ]);
  expect(lines.map(({ msg, type: kind, request_id: request }) => [msg, kind, request])).toEqual([
    ['unreadable mailbox entry', 'counter', undefined],
    ['unreadable command', 'counter', 'request-0123456789'],
  ]);
  expect(await left()).toBe(0);
});

test('returns the refusal of a command that only a newer version knows', async () => {
  await post(message('newer'));
  const refusal = new DomainError('queue_unavailable', 'Not known yet.', { hint: 'Retry.' });
  const readCommand = () => {
    throw refusal;
  };
  await activate({ type: { ...type, readCommand } });
  expect(await answered(1)).toEqual([['newer', resultOf(refusal)]]);
  expect(lines).toEqual([]);
  expect(await left()).toBe(0);
});

test('reports at the end of its turn whether entries are left, and does not touch them', async () => {
  await post(...messages(batchMax + 1));
  expect(await activate({ isTurnOver: async () => true })).toBe(true);
  expect([await left(), (await row()).value]).toEqual([1, batchMax]);
  expect((await answered(batchMax)).length).toBe(batchMax);
  expect(await activate({ isTurnOver: async () => true })).toBe(false);
  expect([await left(), (await row()).value]).toEqual([0, batchMax + 1]);
});

test('a superseded activation leaves what it could not commit in the mailbox for the newer one', async () => {
  await post(...messages(batchMax + 2));
  const takeOver = async () => {
    await newClaims().claim(id);
    return false;
  };
  expect(await activate({ isTurnOver: takeOver })).toBe(false);
  expect([await left(), (await row()).value]).toEqual([2, batchMax]);
  expect(await activate()).toBe(false);
  expect((await answered(batchMax + 2)).at(-1)).toEqual([
    `${batchMax + 1}`,
    { reply: { value: batchMax + 2 } },
  ]);
});

test('an activation fails when the database cannot be written, and its commands wait for the next one', async () => {
  await post(...messages(2));
  const away = await openDatabase(store.setting);
  await away.transaction(async ({ query }) => {
    // Only SQLite's builder has `run`.
    (query as unknown as { run(statement: SQL): void }).run(sql`PRAGMA query_only = ON`);
  });
  const committer = createCommitter(createTestCtx(away), type, logger);
  const fault: unknown = await activate({ committer }).catch((error: unknown) => error);
  await away.close();
  expect(isDatabaseUnavailable(fault)).toBe(true);
  expect([await left(), await row()]).toMatchObject([2, { value: 0, epoch: firstEpoch + 1 }]);
  await activate();
  expect(await answered(2)).toEqual([
    ['0', { reply: { value: 1 } }],
    ['1', { reply: { value: 2 } }],
  ]);
});

/** Counts the reads of a mailbox; `beforeLook` gets the number of the next read, from 1. */
function watchLooks(beforeLook: (look: number) => Promise<unknown> = async () => undefined) {
  const seen = { looks: 0 };
  const take: Mailboxes['take'] = async (...words) => {
    seen.looks += 1;
    await beforeLook(seen.looks);
    return mailboxes.take(...words);
  };
  return { seen, mailboxes: { ...mailboxes, take } };
}

test('ends at once on an empty mailbox, without claiming the actor', async () => {
  const watched = watchLooks();
  expect(await activate({ mailboxes: watched.mailboxes })).toBe(false);
  expect(watched.seen.looks).toBe(0);
  expect(await row()).toMatchObject({ epoch: firstEpoch });
});

test.each([
  [lingerFromMessages - 1, 2],
  [lingerFromMessages, 2 + lingerLooks],
])('after a batch of %d, reads the mailbox %d times before it ends', async (count, looks) => {
  await post(...messages(count));
  const watched = watchLooks();
  expect(await activate({ mailboxes: watched.mailboxes })).toBe(false);
  expect(watched.seen.looks).toBe(looks);
});

test('handles commands that arrive while it lingers, and a single command does not prolong that', async () => {
  await post(...messages(lingerFromMessages));
  const lastLook = 2 + lingerLooks;
  const watched = watchLooks(async (look) => {
    if (look === lastLook) await post(message('behind'));
  });
  expect(await activate({ mailboxes: watched.mailboxes })).toBe(false);
  expect(await row()).toMatchObject({ value: lingerFromMessages + 1, epoch: firstEpoch + 1 });
  expect(watched.seen.looks).toBe(lastLook + 1);
});

/** Runs `meanwhile` once, after the batch is committed and before its results are sent. */
function interrupted(meanwhile: () => Promise<unknown>): Pick<ActivationDeps, 'mailboxes'> {
  let isDue = true;
  const take: Mailboxes['take'] = async (address, epoch, replies) => {
    if (isDue && replies.length > 0) {
      isDue = false;
      await meanwhile();
    }
    return mailboxes.take(address, epoch, replies);
  };
  return { mailboxes: { ...mailboxes, take } };
}

test('a result is sent while a newer activation has claimed the actor but not read the mailbox', async () => {
  await post(message('one'));
  expect(await activate(interrupted(() => newClaims().claim(id)))).toBe(false);
  expect(await answered(1)).toEqual([['one', { reply: { value: 1 } }]]);
  expect(await left()).toBe(0);
});

test('after Redis has lost its data, the results of earlier commands are not sent', async () => {
  await post(message('lost'));
  await activate(
    interrupted(async () => {
      await redis.flushall();
      await post(message('next'));
    }),
  );
  expect(await answered(1)).toEqual([['next', { reply: { value: 2 } }]]);
});

test('a process claims an actor again only if another process has claimed it since', async () => {
  const [own, other] = [newClaims(), newClaims()];
  const epochs: number[] = [];
  for (const claims of [own, own, other, own, own] satisfies readonly Claims[]) {
    await post(message(`${epochs.length}`));
    expect(await activate({ claims })).toBe(false);
    epochs.push((await row()).epoch - firstEpoch);
  }
  expect(epochs).toEqual([1, 1, 2, 3, 3]);
  // Redis has forgotten the newer claim, but the database has not.
  await redis.flushall();
  await post(message('after'));
  await activate({ claims: other });
  expect([await row(), (await answered(6)).length]).toMatchObject([{ value: 6, epoch: firstEpoch + 4 }, 6]);
});

test('a mailbox that has expired is removed from the list of waiting mailboxes', async () => {
  await post(message('expired'));
  const address = `counter/${id}` as const;
  await redis.del(redisNames.mailbox(address));
  expect(await activate()).toBe(false);
  expect(await redis.zscore(redisNames.mailboxes(mailboxShardOf(address)), address)).toBeNull();
});

test('an epoch in Redis above those of the database, as after a restore, delays commands until a claim reaches it', async () => {
  await post(message('after a restore'));
  await redis.set(redisNames.mailboxEpoch(`counter/${id}`), firstEpoch + 2);
  const claims = newClaims();
  expect(await activate({ claims })).toBe(false);
  expect([await left(), results]).toEqual([1, []]);
  // As the sweep does, once a second.
  expect(await activate({ claims })).toBe(false);
  expect(await answered(1)).toEqual([['after a restore', { reply: { value: 1 } }]]);
  expect(await row()).toMatchObject({ value: 1, epoch: firstEpoch + 2 });
});
