/**
 * Open jobs are announced again until they are closed, closed ones never, and old closed ones are pruned.
 */
import { beforeEach, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { withTransaction } from '#domain/context.ts';
import { closeJobs, enqueueAll } from '#domain/jobs/enqueue.ts';
import { pruneClosedJobs, reannounceOpenJobs } from '#domain/jobs/reannounce-open-jobs.ts';
import { openDatabase } from '#db/open-database.ts';
import { createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';

const secondMs = 1_000;
const dayMs = 24 * 60 * 60 * secondMs;

forEachStore((store) => {
  let ctx: TestCtx;
  beforeEach(async () => {
    ctx = createTestCtx(store.db);
    await store.db.transaction((tx) => tx.query.delete(tx.tables.jobs));
  });

  /** Adds jobs and advances the clock by a second. */
  async function add(count: number): Promise<string[]> {
    const known = ctx.published.length;
    const payloads = Array.from({ length: count }, () => ({ runId: Bun.randomUUIDv7() }));
    await withTransaction(ctx, (inner) => enqueueAll(inner, 'run', payloads));
    ctx.clock.advance(secondMs);
    return ctx.published.slice(known).map(({ id }) => id);
  }
  /** The ids announced by `work`. */
  async function announcedBy(work: () => Promise<unknown>): Promise<string[]> {
    const known = ctx.published.length;
    await work();
    return ctx.published.slice(known).map(({ id }) => id);
  }
  const close = (ids: readonly string[]) => withTransaction(ctx, (inner) => closeJobs(inner, ids));
  const reannounce = (limit = 100, announcedBefore = ctx.clock.now()) =>
    reannounceOpenJobs(ctx, { announcedBefore, limit });

  test('an open job is announced again unchanged, and then not until later', async () => {
    await add(1);
    const first = ctx.published[0]!;
    expect(await announcedBy(() => reannounce())).toEqual([first.id]);
    expect(ctx.published[1]).toEqual(first);
    expect(await reannounce()).toBe(0);
    ctx.clock.advance(1);
    expect(await reannounce()).toBe(1);
  });

  test('jobs announced at or after the given instant are skipped', async () => {
    const since = ctx.clock.now();
    const [id] = await add(1);
    expect(await reannounce(100, since)).toBe(0);
    const later = new Date(since.getTime() + 1);
    expect(await announcedBy(() => reannounce(100, later))).toEqual([id!]);
  });

  test('the least recently announced jobs come first, up to the limit per call', async () => {
    const oldest = await add(2);
    const middle = await add(2);
    const newest = await add(2);
    const before = ctx.clock.now();
    expect((await announcedBy(() => reannounce(2, before))).toSorted()).toEqual(oldest);
    expect((await announcedBy(() => reannounce(3, before))).toSorted()).toEqual([...middle, newest[0]!]);
    expect(await announcedBy(() => reannounce(3, before))).toEqual([newest[1]!]);
    expect(await reannounce(3, before)).toBe(0);
  });

  test('closed jobs are never announced again', async () => {
    const ids = await add(4);
    await close(ids.slice(0, 2));
    ctx.clock.advance(dayMs);
    expect((await announcedBy(() => reannounce())).toSorted()).toEqual(ids.slice(2));
  });

  test('a job stays open if the transaction that closes it rolls back', async () => {
    const ids = await add(1);
    const attempt = withTransaction(ctx, async (inner) => {
      await closeJobs(inner, ids);
      throw new Error('the work failed');
    });
    await expect(attempt).rejects.toThrow('the work failed');
    expect(await announcedBy(() => reannounce())).toEqual(ids);
  });

  test('closing twice keeps the first instant, and closing nothing does nothing', async () => {
    const [id] = await add(1);
    const closedAt = ctx.clock.now();
    await close([id!]);
    ctx.clock.advance(secondMs);
    await close([id!]);
    await close([]);
    const { jobs } = store.db.tables;
    const [row] = await store.db.query.select().from(jobs).where(eq(jobs.id, id!));
    expect(row?.closedAt).toEqual(closedAt);
  });

  test('a job of a kind unknown to this version is left for one that knows it', async () => {
    const [id] = await add(1);
    const { jobs } = store.db.tables;
    await store.db.transaction((tx) =>
      tx.query.update(jobs).set({ kind: 'of-tomorrow' }).where(eq(jobs.id, id!)),
    );
    expect(await announcedBy(() => reannounce())).toEqual([]);
    const [row] = await store.db.query.select().from(jobs).where(eq(jobs.id, id!));
    expect(row?.closedAt).toBeNull();
  });

  test('concurrent relays and workers do not conflict, and no closed job is announced later', async () => {
    const ids = await add(300);
    const other = await openDatabase(store.setting);
    const otherCtx = { ...ctx, db: other };
    const closed = new Set<string>();
    const relay = async (base: TestCtx) => {
      for (let round = 0; round < 12; round += 1) {
        ctx.clock.advance(1);
        await reannounceOpenJobs(base, { announcedBefore: ctx.clock.now(), limit: 60 });
      }
    };
    const closer = async (base: TestCtx, mine: readonly string[]) => {
      for (let start = 0; start < mine.length; start += 10) {
        const batch = mine.slice(start, start + 10).toReversed();
        await withTransaction(base, (inner) => closeJobs(inner, batch));
        for (const id of batch) closed.add(id);
      }
    };
    await Promise.all([
      relay(ctx),
      relay(otherCtx),
      closer(
        ctx,
        ids.filter((_, index) => index % 3 === 0),
      ),
      closer(
        otherCtx,
        ids.filter((_, index) => index % 3 === 1),
      ),
    ]);
    await other.close();
    ctx.clock.advance(1);
    const open = await announcedBy(() => reannounce(1_000));
    expect(open.toSorted()).toEqual(ids.filter((id) => !closed.has(id)));
  });

  test('jobs closed more than seven days ago are deleted; open ones are kept at any age', async () => {
    const [open, old, recent] = await add(3);
    await close([old!]);
    ctx.clock.advance(1);
    await close([recent!]);
    ctx.clock.advance(7 * dayMs);
    expect(await pruneClosedJobs(ctx)).toBe(1);
    expect(await pruneClosedJobs(ctx)).toBe(0);
    const rows = await store.db.query.select().from(store.db.tables.jobs);
    expect(rows.map((row) => row.id).toSorted()).toEqual([open!, recent!].toSorted());
  });

  test('at most 1,000 jobs are pruned at a time', async () => {
    const ids = await add(1_001);
    await close(ids);
    ctx.clock.advance(8 * dayMs);
    expect([await pruneClosedJobs(ctx), await pruneClosedJobs(ctx)]).toEqual([1_000, 1]);
  });
});
