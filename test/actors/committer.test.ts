/** Group commit: transaction sizes, metrics, and commands that fail. */
import { beforeEach, expect, test } from 'bun:test';
import { type Committer, epochOfNobody, type Work } from '#actors/actor-type.ts';
import { createCommitter } from '#actors/committer.ts';
import { transactionMax } from '#actors/limits.ts';
import { renderMetrics } from '#runtime/tracing/metrics.ts';
import { withTransaction } from '#domain/context.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { parseMetrics, sumOf } from '#test/harness/metrics.ts';
import { createRecordingLogger } from '#test/harness/recording-logger.ts';
import { useScratchStore } from '#test/harness/stores.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { messageOf } from './messages.ts';
import { type CounterCommand, firstEpoch, stepOf, useCounters } from './counter-actor.ts';

const { logger, lines } = createRecordingLogger();
let committer: Committer;

const store = useScratchStore('sqlite');
const { type, create, read } = useCounters(store);
beforeEach(() => {
  lines.length = 0;
  committer = createCommitter(createTestCtx(store.db), type, logger);
});

const work = (actorId: string, count: number, act?: CounterCommand['act'], state: unknown = null): Work => ({
  actorId,
  epoch: firstEpoch,
  state,
  messages: Array.from({ length: count }, () => {
    const id = Bun.randomUUIDv7();
    return messageOf(id, stepOf(id, act), { requestId: 'request-0123456789' });
  }),
});
async function counted() {
  const samples = parseMetrics(await renderMetrics());
  const of = (name: string) => sumOf(samples, name, { type: 'counter' });
  return {
    batches: of('hub_actor_batches_total'),
    sizes: of('hub_actor_batch_size_sum'),
    conflicts: of('hub_actor_epoch_conflicts_total'),
    transactions: type.seen.transactions,
  };
}
async function costOf(works: readonly Work[]) {
  const before = await counted();
  const done = await Promise.all(works.map((one) => committer.commit(one)));
  const after = await counted();
  return {
    done,
    batches: after.batches - before.batches,
    sizes: after.sizes - before.sizes,
    conflicts: after.conflicts - before.conflicts,
    transactions: after.transactions - before.transactions,
  };
}

test('a transaction holds as many commands as allowed, and not one more', async () => {
  const half = transactionMax / 2;
  const costOfBatches = async (...sizes: readonly number[]) =>
    costOf(await Promise.all(sizes.map(async (size) => work(await create(), size))));
  const full = await costOfBatches(half, half);
  expect(full).toMatchObject({ transactions: 1, batches: 2, sizes: transactionMax });
  const over = await costOfBatches(half, half, 1);
  expect(over).toMatchObject({ transactions: 2, batches: 3, sizes: transactionMax + 1 });
  // A single batch above the limit is committed all the same.
  const alone = await costOfBatches(transactionMax + 1, 1);
  expect(alone).toMatchObject({ transactions: 2, batches: 2 });
});

test('a batch without commands ends at once, without a transaction', async () => {
  const state = { epoch: 3, value: 4 };
  const { done, transactions } = await costOf([work('nobody', 0, undefined, state)]);
  expect([done, transactions]).toEqual([[{ state, results: [], end: 'done' }], 0]);
});

test('commands to an actor that does not exist are refused, and the others are carried out', async () => {
  const { done, transactions } = await costOf([
    { ...work(Bun.randomUUIDv7(), 2), epoch: epochOfNobody },
    work(await create(), 1),
  ]);
  expect(transactions).toBe(1);
  const refusal = {
    refusal: { code: 'not_found' as const, message: 'There is no such counter.', extras: {} },
  };
  expect(done).toEqual([
    { state: null, results: [refusal, refusal], end: 'done' },
    { state: { epoch: 1, value: 1 }, results: [{ reply: { value: 1 } }], end: 'done' },
  ]);
});

test('the state that a commit returns serves the next one, without reading the actor again', async () => {
  const id = await create();
  const first = await committer.commit(work(id, 2));
  expect(first.state).toEqual({ epoch: 1, value: 2 });
  const second = await committer.commit(work(id, 1, undefined, first.state));
  expect([second.state, second.results]).toEqual([{ epoch: 1, value: 3 }, [{ reply: { value: 3 } }]]);
});

test('a command that throws is retried once, without the others and with fresh state, and then logged as a fault', async () => {
  const id = await create();
  const { state } = await committer.commit(work(id, 1));
  const { done, transactions } = await costOf([work(id, 1, 'throw', state)]);
  expect(done).toEqual([{ state: null, results: [{ fault: true }], end: 'done' }]);
  expect(transactions).toBe(2);
  expect(
    lines.map(({ msg, type: kind, actorId, request_id: request }) => [msg, kind, actorId, request]),
  ).toEqual([['a command failed', 'counter', id, 'request-0123456789']]);
});

test('an outdated state ends as superseded and is counted; other actors of the transaction are not affected', async () => {
  const [stale, fine] = [await create(), await create()];
  const { state } = await committer.commit(work(stale, 1));
  await withTransaction(createTestCtx(store.db), (ctx) => type.claim(ctx, [stale]));
  for (const [round, known] of [state, null].entries()) {
    const { done, conflicts } = await costOf([work(stale, 2, undefined, known), work(fine, 1)]);
    expect(done[0]).toEqual({ state: null, results: [], end: 'superseded' });
    expect(done[1]).toMatchObject({ results: [{ reply: { value: round + 1 } }], end: 'done' });
    expect(conflicts).toBe(1);
  }
  expect(lines).toEqual([]);
});

test('a command whose deadline has passed when its transaction begins is refused, and not carried out', async () => {
  const id = await create();
  const given = work(id, 3);
  // The worker was stopped after it had read the mailbox.
  const overslept = given.messages.map((message, index) =>
    index === 1 ? { ...message, deadline: performance.now() - 1 } : message,
  );
  const { results, end } = await committer.commit({ ...given, messages: overslept });
  expect({ results, end }).toMatchObject({
    results: [{ reply: { value: 1 } }, { refusal: { code: 'queue_unavailable' } }, { reply: { value: 2 } }],
    end: 'done',
  });
  expect((await read(id)).value).toBe(2);
});

test('on SQLite one transaction runs at a time, and all work that arrives meanwhile shares the next', async () => {
  const [slow, early, late] = [await create(), await create(), await create()];
  await committer.commit(work(slow, 1));
  const before = type.seen.transactions;
  const commits = [committer.commit(work(slow, 100, 'sleep'))];
  await waitUntil(async () => type.seen.transactions > before);
  commits.push(committer.commit(work(early, 1)));
  // Enough time to begin a transaction, if one could begin.
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  commits.push(committer.commit(work(late, 1)));
  const done = await Promise.all(commits);
  expect(done.map(({ results }) => results.length)).toEqual([100, 1, 1]);
  expect(type.seen.transactions - before).toBe(2);
});

test('two batches of one actor never share a transaction, so each gets its own results', async () => {
  const id = await create();
  const { done } = await costOf([work(id, 2), work(id, 2)]);
  expect(done.flatMap(({ results }) => results)).toEqual([1, 2, 3, 4].map((value) => ({ reply: { value } })));
});

test.each([
  ['no outcome', async () => []],
  ['an outcome without replies', async () => [{ state: { epoch: 1, value: 1 }, replies: [] }]],
])(
  'if a type of actor returns %s for a batch, its commands fail with an internal error',
  async (_, handle) => {
    const broken = createCommitter(createTestCtx(store.db), { ...type, handle }, logger);
    const done = await broken.commit(work(await create(), 2));
    expect(done).toEqual({ state: null, results: [{ fault: true }, { fault: true }], end: 'done' });
  },
);

test('the effects of a single command carry the request that caused it', async () => {
  const causes: unknown[] = [];
  const watched: typeof type = {
    ...type,
    handle: (ctx, batches) => {
      causes.push(ctx.cause);
      return type.handle(ctx, batches);
    },
  };
  await createCommitter(createTestCtx(store.db), watched, logger).commit(work(await create(), 1));
  expect(causes).toMatchObject([{ requestId: 'request-0123456789' }]);
});
