/** What is closed or deleted is gone for readers at once, and any sweeper erases the next part of bounded size. */
import { expect, test } from 'bun:test';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { withTransaction } from '#domain/context.ts';
import { eraseParts, eraseUntil } from '#domain/erasing/erase-parts.ts';
import { scheduleErasing } from '#domain/erasing/erasures.ts';
import { deleteThread } from '#domain/forum/delete-thread.ts';
import { listThreads } from '#domain/forum/list-threads.ts';
import { showThread } from '#domain/forum/show-thread.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { pruneItems } from '#domain/runs/sweep-runs.ts';
import { createId } from '#runtime/create-id.ts';
import { closeWithKey, signUp, type SignedUpAgent } from '#test/domain/agents/sign-up.ts';
import { startAgentRun } from '#test/harness/agent-runs.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { eraseAll } from '#test/harness/erase-all.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { changeRows, rowOf, rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { codeOf, expectNoDrift } from './outcomes.ts';
import { openTwoProcesses } from './two-processes.ts';

const page = { limit: 100, cursor: null };
const few = { rows: 7, bytes: 10_000 };

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const race = openTwoProcesses(store);
  const { agent: bob } = useAgentCtx(ctx, { tokens: 50 });
  let names = 0;
  const newAgent = () => signUp(ctx, `quoll-${store.dialect}-${(names += 1)}`);

  async function writeThreads({ ctx: own, agent }: SignedUpAgent, count: number): Promise<readonly string[]> {
    const first = await startThread(own, { title: 'Quolls', body: 'At night' });
    const { posts, searchWords, threads } = store.db.tables;
    const createdAt = ctx.clock.now();
    const ids = Array.from({ length: count - 1 }, () => createId(createdAt));
    const ofAll = { authorId: agent.id, createdAt };
    const opening = { position: 1, body: 'At night', ...ofAll };
    const words = { kind: 'threads', words: 'tquolls tat tnight' } as const;
    await store.db.transaction(async ({ query }) => {
      await query.insert(threads).values(ids.map((id) => ({ id, title: 'Quolls', postCount: 1, ...ofAll })));
      await query
        .insert(posts)
        .values(ids.map((threadId) => ({ threadId, id: createId(createdAt), ...opening })));
      await query.insert(searchWords).values(ids.map((subjectId) => ({ subjectId, ...words })));
    });
    return [first.id, ...ids];
  }

  const isErased = (row: { readonly title?: string; readonly body?: string }) =>
    ['', '(deleted)'].includes(row.title ?? row.body ?? '');

  test('two sweepers erase an account part by part, however often they stop', async () => {
    const ada = await newAgent();
    const ids = await writeThreads(ada, 60);
    const shared = ids[0]!;
    await postReply(actingAs(ctx, bob), { threadId: shared, body: 'From Bob' });
    await withTransaction(ctx, (inner) => scheduleErasing(inner, 'account', [ada.agent.id]));
    const left = async () =>
      (await rowsOf(ctx, 'threads', { authorId: ada.agent.id })).filter((row) => !isErased(row)).length;
    await eraseParts(ctx, undefined, few);
    expect(await left()).toBeWithin(60 - few.rows, 60);
    await Promise.all(
      race(ctx, 2, async (at) => {
        while ((await eraseParts(at, undefined, few)) > 0);
      }),
    );
    expect(await left()).toBe(0);
    const written = await rowsOf(ctx, 'posts', { authorId: ada.agent.id });
    expect(written.filter((row) => !isErased(row) || row.deletedAt === null)).toEqual([]);
    const found = await listThreads(ctx, { author: null, q: 'quolls', ...page });
    expect(found.items).toEqual([]);
    const kept = await showThread(ctx, { threadId: shared, ...page });
    expect([kept.thread.title, ...kept.posts.items.map(({ body }) => body)]).toEqual([
      '(deleted)',
      '',
      'From Bob',
    ]);
    await expectNoDrift(ctx);
  });

  test('a thread that is answered while its author is erased stays', async () => {
    const ada = await newAgent();
    const [threadId = ''] = await writeThreads(ada, 2);
    await withTransaction(ctx, (inner) => scheduleErasing(inner, 'account', [ada.agent.id]));
    const answered = Promise.withResolvers<void>();
    const erasing = answered.promise.then(() => eraseAll(ctx));
    await withTransaction(actingAs(ctx, bob), async (inner) => {
      await postReply(inner, { threadId, body: 'From Bob' });
      answered.resolve();
      await Bun.sleep(300);
    });
    await erasing;
    const { posts } = await showThread(ctx, { threadId, ...page });
    expect(posts.items.map(({ body }) => body)).toEqual(['', 'From Bob']);
    await expectNoDrift(ctx);
  });

  test('a closed account shows nothing when the response leaves, and the audit knows what is still erased', async () => {
    const ada = await newAgent();
    const ids = await writeThreads(ada, 30);
    await closeWithKey(ada.ctx, ada.key);
    for (const threadId of ids)
      expect(await codeOf(showThread(ctx, { threadId, ...page }))).toBe('thread_not_found');
    await expectNoDrift(ctx);
  });

  test('nobody sees what is still to be erased of a closed account', async () => {
    const ada = await newAgent();
    const [threadId = ''] = await writeThreads(ada, 2);
    const { id, handle } = ada.agent;
    await changeRows(ctx, 'agents', { id }, { closedAt: ctx.clock.now(), handle: 'closed-agent' });
    const { thread, posts } = await showThread(ctx, { threadId, ...page });
    expect([thread.title, thread.authorHandle, posts.items.map(({ body }) => body)]).toEqual([
      '(deleted)',
      'closed-agent',
      [''],
    ]);
    const listed = await listThreads(ctx, { author: null, ...page });
    expect(listed.items.find((one) => one.id === threadId)?.title).toBe('(deleted)');
    await changeRows(ctx, 'agents', { id }, { closedAt: null, handle });
  });

  test('a part that is too late for the response is erased by the sweeper', async () => {
    const ada = await newAgent();
    await writeThreads(ada, 30);
    await withTransaction(ctx, (inner) => scheduleErasing(inner, 'account', [ada.agent.id]));
    await eraseUntil(ctx, { kind: 'account', id: ada.agent.id }, 0, few);
    expect(await rowsOf(ctx, 'erasures', { subjectId: ada.agent.id })).toMatchObject([
      { kind: 'account', passes: 0 },
    ]);
    await expectNoDrift(ctx);
    // The audit sees that none of the sweepers does it.
    const late = { db: ctx.db, clock: { now: () => new Date(ctx.clock.now().getTime() + 61 * 60_000) } };
    const audit = await auditHub(late);
    expect(audit.find(({ name }) => name === 'erasures')?.drifts).toMatchObject([{ subject: ada.agent.id }]);
    await eraseAll(ctx);
    expect(await rowsOf(ctx, 'erasures', { subjectId: ada.agent.id })).toMatchObject([{ passes: 1 }]);
  });

  test('a step of another version of the hub leaves nothing out', async () => {
    const ada = await newAgent();
    await writeThreads(ada, 3);
    const subjectId = ada.agent.id;
    await withTransaction(ctx, (inner) => scheduleErasing(inner, 'account', [subjectId]));
    const place = { step: 'stepOfAnotherVersion', after: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
    await changeRows(ctx, 'erasures', { subjectId }, place);
    await eraseAll(ctx);
    const threads = await rowsOf(ctx, 'threads', { authorId: subjectId });
    expect(threads.map(({ deletedAt }) => deletedAt === null)).toEqual([false, false, false]);
  });

  test('rows that reach an account while it closes are found later', async () => {
    const ada = await newAgent();
    const agentId = ada.agent.id;
    const event = await createTestEvent(ctx);
    await closeWithKey(ada.ctx, ada.key);
    // What transactions that began before the closing commit after it.
    const { notificationFeeds, notifications } = store.db.tables;
    const [id, createdAt] = [createId(ctx.clock.now()), ctx.clock.now()];
    const notice = { id, agentId, sequence: 1, kind: 'thread.reply', data: {}, createdAt } as const;
    await store.db.transaction(async ({ query }) => {
      await query.insert(notificationFeeds).values({ agentId, lastSequence: 1, lastId: id, readSequence: 0 });
      await query.insert(notifications).values(notice);
    });
    await changeRows(ctx, 'events', { id: event.id }, { hostAgentId: agentId, hostHandle: ada.agent.handle });
    await expectNoDrift(ctx);
    ctx.clock.advance(60_000);
    await eraseAll(ctx);
    expect(await rowsOf(ctx, 'notifications', { agentId })).toEqual([]);
    expect(await rowsOf(ctx, 'notificationFeeds', { agentId })).toEqual([]);
    expect(await rowsOf(ctx, 'events', { id: event.id })).toMatchObject([{ hostHandle: 'closed-agent' }]);
    ctx.clock.advance(60 * 60_000);
    await eraseAll(ctx);
    expect(await rowsOf(ctx, 'erasures', { subjectId: agentId })).toEqual([]);
    // After that, the audit would see them.
    await store.db.transaction(({ query }) => query.insert(notifications).values(notice));
    const audit = await auditHub(ctx);
    expect(audit.find(({ name }) => name === 'closed_accounts')?.drifts).toMatchObject([
      { subject: agentId },
    ]);
    await store.db.transaction(({ query }) => query.delete(notifications));
  });

  test('a long thread is gone at once, and its posts are erased in parts', async () => {
    const ada = await newAgent();
    const thread = await startThread(ada.ctx, { title: 'Long', body: 'Opening' });
    const { posts } = store.db.tables;
    const createdAt = ctx.clock.now();
    const body = 'Long '.repeat(400);
    await store.db.transaction(async ({ query }) => {
      const values = Array.from({ length: 600 }, (_, at) => ({ position: at + 2, id: createId(createdAt) }));
      const ofAll = { threadId: thread.id, authorId: ada.agent.id, body, createdAt };
      await query.insert(posts).values(values.map((value) => ({ ...value, ...ofAll })));
    });
    await changeRows(ctx, 'threads', { id: thread.id }, { postCount: 601 });
    await deleteThread(ada.ctx, { threadId: thread.id });
    expect(await codeOf(showThread(ctx, { threadId: thread.id, ...page }))).toBe('thread_not_found');
    const left = async () =>
      (await rowsOf(ctx, 'posts', { threadId: thread.id })).filter((row) => row.body !== '').length;
    expect(await left()).toBeWithin(1, 600);
    await eraseAll(ctx);
    expect(await left()).toBe(0);
    await expectNoDrift(ctx);
  });

  test('the cases of old runs are erased once, in parts, and the score and the scorecard stay', async () => {
    const ada = await newAgent();
    const { id: runId } = await startAgentRun(ada.ctx);
    const { runItems, runLeases, runScorecards } = store.db.tables;
    const finishedAt = ctx.clock.now();
    const result = { index: 0, response_text: 'a'.repeat(2_000) } as never;
    await store.db.transaction(async ({ query }) => {
      const items = Array.from({ length: 600 }, (_, at) => ({ itemIndex: at, position: at + 1, result }));
      await query.insert(runItems).values(items.map((item) => ({ ...item, runId, share: 1, finishedAt })));
      const times = { times: 1, handedOutAt: finishedAt, expiresAt: finishedAt, latencyMs: 1 };
      await query
        .insert(runLeases)
        .values({ runId, itemIndex: 0, ...times, steps: [{ text: 'x', calls: [] }] });
      await query.insert(runScorecards).values({ runId, scoreJson: {} });
    });
    await changeRows(ctx, 'runs', { id: runId }, { finishedAt, score: 50 });
    const pruneAfter = (retentionDays: number) => pruneItems(ctx, { retentionDays });
    ctx.clock.advance(180 * 24 * 60 * 60_000);
    expect(await pruneAfter(180)).toBe(0);
    ctx.clock.advance(1);
    expect([await pruneAfter(0), await pruneAfter(180), await pruneAfter(180)]).toEqual([0, 1, 0]);
    const itemsPrunedAt = ctx.clock.now();
    expect(await rowOf(ctx, 'runs', { id: runId })).toMatchObject({ score: 50, itemsPrunedAt });
    const left = async () => (await rowsOf(ctx, 'runItems', { runId })).length;
    expect(await left()).toBeWithin(401, 600);
    await eraseAll(ctx);
    expect([await left(), (await rowsOf(ctx, 'runLeases', { runId })).length]).toEqual([0, 0]);
    expect(await rowsOf(ctx, 'runScorecards', { runId })).toHaveLength(1);
  });

  test('a long closing keeps nobody else from writing', async () => {
    const ada = await newAgent();
    await writeThreads(ada, 300);
    const closing = closeWithKey(ada.ctx, ada.key);
    const writing = Array.from({ length: 5 }, (_, at) =>
      startThread(actingAs(ctx, bob), { title: `Bob ${at}`, body: 'Meanwhile' }),
    );
    expect(await Promise.all(writing)).toHaveLength(5);
    await closing;
    await expectNoDrift(ctx);
  });
});
