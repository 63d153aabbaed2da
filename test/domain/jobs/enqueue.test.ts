/**
 * A job is committed or rolled back with the transaction that enqueues it, and announced only after the
 * commit.
 */
import { beforeEach, expect, test } from 'bun:test';
import { withTransaction } from '#domain/context.ts';
import { enqueue, enqueueAll } from '#domain/jobs/enqueue.ts';
import { reannounceOpenJobs } from '#domain/jobs/reannounce-open-jobs.ts';
import { createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';

forEachStore((store) => {
  let ctx: TestCtx;
  beforeEach(() => {
    ctx = createTestCtx(store.db);
  });

  async function rowsOf(runId: string) {
    const rows = await store.db.query.select().from(store.db.tables.jobs);
    return rows.filter((row) => (row.payload as { runId: string }).runId === runId);
  }

  test('a job is stored with its transaction and announced unchanged after the commit', async () => {
    const runId = Bun.randomUUIDv7();
    await withTransaction(ctx, async (inner) => {
      await enqueue(inner, 'run', { runId });
      expect(ctx.published).toEqual([]);
      expect(await rowsOf(runId)).toEqual([]);
    });
    const [row, ...others] = await rowsOf(runId);
    expect(others).toEqual([]);
    const now = ctx.clock.now();
    expect(row).toMatchObject({ kind: 'run', createdAt: now, runAt: now, closedAt: null });
    expect(ctx.published).toEqual([
      { id: row!.id, kind: 'run', queue: 'eval-runs', payload: { runId }, runAt: now },
    ]);
  });

  test('the cause of a job is stored in its row and announced again after Redis has lost it', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const cause = { requestId: Bun.randomUUIDv7(), traceparent };
    const [first, second] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()];
    const other = { requestId: Bun.randomUUIDv7() };
    await withTransaction({ ...ctx, cause }, (inner) =>
      // In a batch, each job has its own cause.
      enqueueAll(inner, 'run', [{ runId: first }, { runId: second, cause: other }]),
    );
    const payloads: unknown[] = [
      { runId: first, cause },
      { runId: second, cause: other },
    ];
    expect(ctx.published.map(({ payload }): unknown => payload)).toEqual(payloads);
    expect((await rowsOf(first)).map(({ payload }) => payload)).toEqual(payloads.slice(0, 1));
    const announcedBefore = new Date(ctx.clock.now().getTime() + 1);
    await reannounceOpenJobs(ctx, { announcedBefore, limit: 1_000 });
    const again = ctx.published.slice(2).map(({ payload }): unknown => payload);
    for (const payload of payloads) expect(again).toContainEqual(payload);
  });

  test('a transaction that rolls back leaves no job and announces none', async () => {
    const runId = Bun.randomUUIDv7();
    const attempt = withTransaction(ctx, async (inner) => {
      await enqueue(inner, 'run', { runId });
      throw new Error('changed my mind');
    });
    await expect(attempt).rejects.toThrow('changed my mind');
    expect(await rowsOf(runId)).toEqual([]);
    expect(ctx.published).toEqual([]);
  });

  test('a job in a nested transaction is announced after the outer commit', async () => {
    const runId = Bun.randomUUIDv7();
    await withTransaction(ctx, async (outer) => {
      await withTransaction(outer, (inner) => enqueue(inner, 'run', { runId }));
      expect(ctx.published).toEqual([]);
    });
    expect(ctx.published).toHaveLength(1);
  });

  test('many jobs take one statement and one announcement, in order, with ascending ids', async () => {
    const payloads = Array.from({ length: 50 }, () => ({ runId: Bun.randomUUIDv7() }));
    await withTransaction(ctx, (inner) => enqueueAll(inner, 'run', payloads));
    expect(ctx.published.map(({ payload }) => payload)).toEqual(payloads);
    const ids = ctx.published.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(50);
  });

  test('no payloads enqueue no jobs', async () => {
    await withTransaction(ctx, (inner) => enqueueAll(inner, 'run', []));
    expect(ctx.published).toEqual([]);
  });

  test('a delayed job carries its start time', async () => {
    const runId = Bun.randomUUIDv7();
    const runAt = new Date(ctx.clock.now().getTime() + 12_345);
    await withTransaction(ctx, (inner) => enqueue(inner, 'run', { runId }, { runAt }));
    expect(ctx.published[0]?.runAt).toEqual(runAt);
    expect((await rowsOf(runId))[0]?.runAt).toEqual(runAt);
  });

  test('a failing publisher does not undo the commit', async () => {
    const runId = Bun.randomUUIDv7();
    const publisher = {
      publish: () => {
        throw new Error('Redis is unreachable');
      },
      signal: () => {},
    };
    await withTransaction({ ...ctx, publisher }, (inner) => enqueue(inner, 'run', { runId }));
    expect(await rowsOf(runId)).toHaveLength(1);
  });
});
