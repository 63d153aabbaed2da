/**
 * After an account was closed, sweepers replace its handle in what others have stored: page by page, and whatever stops
 * them, everything in the end.
 */
import { beforeAll, expect, test } from 'bun:test';
import { eq, like, sql } from 'drizzle-orm';
import type { Transaction } from '#db/database.ts';
import { closeAccount, startClosing } from '#domain/account/close-account.ts';
import { renameCopies, renamedAtOnceMax } from '#domain/account/rename-copies.ts';
import { renameInTexts } from '#domain/account/rename-everywhere.ts';
import { withTransaction } from '#domain/context.ts';
import { startThread } from '#domain/forum/start-thread.ts';
import { Setbacks } from '#domain/setbacks.ts';
import { createId } from '#runtime/create-id.ts';
import { signUp } from '#test/domain/agents/sign-up.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { plansOf } from '#test/harness/query-plans.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { openTwoProcesses } from '../two-processes.ts';
import { renameAllCopies, rowsWith } from './traces.ts';

const rowsInTable = renamedAtOnceMax * 2 + 1;
/** Rows per statement of this test. */
const insertedAtOnce = 1_000;

/** In a plan of either store: a table that is searched without a condition on an index. */
const wholeTable =
  /^SCAN (\w+)|Seq Scan on (\w+)|Index(?: Only)? Scan (?:Backward )?using \w+ on (\w+)[^\n]*$(?!\n\s*Index Cond)/gm;

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let ctx: TestCtx;
  let bob: TestAgent;
  let names = 0;
  beforeAll(async () => {
    ctx = createTestCtx(store.db);
    bob = await createTestAgent(ctx);
    await fillOthers();
  });

  /** Notifications and stored responses that name nobody, so that there are several pages. */
  async function fillOthers(): Promise<void> {
    const now = ctx.clock.now();
    const { idempotencyKeys, notifications } = ctx.db.tables;
    const all = Array.from({ length: rowsInTable }, (_, at) => at);
    for (let start = 0; start < all.length; start += insertedAtOnce) {
      const some = all.slice(start, start + insertedAtOnce);
      await withTransaction(ctx, async ({ db: { query } }) => {
        await query.insert(notifications).values(
          some.map((at) => ({
            id: createId(now),
            agentId: bob.id,
            sequence: at + 1,
            kind: 'thread.reply' as const,
            data: { author_handle: 'nobody' },
            createdAt: now,
          })),
        );
        await query.insert(idempotencyKeys).values(
          some.map((at) => ({
            agentId: bob.id,
            route: `route ${at % 7}`,
            key: `Key "${at}"`,
            requestHash: 'x',
            claimId: createId(now),
            claimedUntil: now,
            status: 200,
            body: { author_handle: 'nobody' },
            createdAt: now,
          })),
        );
      });
    }
  }

  /** Closes an account that every row of `fillOthers` names. */
  async function closeNamed(): Promise<string> {
    names += 1;
    const handle = `wombat-${store.dialect}-${names}`;
    const agent = await signUp(ctx, handle);
    const { idempotencyKeys, notifications } = ctx.db.tables;
    // The stores keep JSON as it was written.
    const data = JSON.stringify({ author_handle: handle, thread_title: `About ${handle}` });
    const json = store.dialect === 'postgres' ? sql`${data}::text::json` : data;
    await withTransaction(ctx, async ({ db: { query } }) => {
      await query.update(notifications).set({ data: sql`${json}` });
      await query.update(idempotencyKeys).set({ body: sql`${json}` });
    });
    const { challenge } = await startClosing(agent.ctx);
    await closeAccount(agent.ctx, { signature: agent.key.sign(challenge.challenge), eraseContent: false });
    return handle;
  }

  async function countNaming(handle: string): Promise<number> {
    const { idempotencyKeys, notifications } = ctx.db.tables;
    const named = `%author_handle":"${handle}%`;
    return (
      (await ctx.db.query.$count(notifications, like(sql`cast(${notifications.data} as text)`, named))) +
      (await ctx.db.query.$count(idempotencyKeys, like(sql`cast(${idempotencyKeys.body} as text)`, named)))
    );
  }

  test('the closing finds the texts about the agent by indexes', async () => {
    // Nothing is found, so it only reads.
    const reading = { ...ctx, db: store.db as unknown as Transaction };
    const agent = { agentId: bob.id, handle: 'numbat' };
    const plans = await plansOf(store, () => renameInTexts(reading, agent));
    expect(plans.flatMap((plan) => [...plan.matchAll(wholeTable)].map(([found]) => found))).toEqual([]);
  });

  test('the closing changes none of the rows of others, and a call of the sweeper only one page of them', async () => {
    const handle = await closeNamed();
    let left = await countNaming(handle);
    expect(left).toBe(2 * rowsInTable);
    let most = 0;
    while ((await renameCopies(ctx)) > 0) {
      const now = await countNaming(handle);
      most = Math.max(most, left - now);
      left = now;
    }
    expect([left, most]).toEqual([0, renamedAtOnceMax]);
    await renameAllCopies(ctx);
    // Only the texts by others still contain it.
    const { notifications } = ctx.db.tables;
    expect((await ctx.db.query.select().from(notifications).limit(1))[0]?.data).toEqual({
      author_handle: 'deleted',
      thread_title: `About ${handle}`,
    });
    expect((await rowsWith(ctx, [handle])).filter((row) => !row.includes(`About ${handle}`))).toEqual([]);
  });

  test('a text that is a word of the hub is replaced in the fields of texts only', async () => {
    const agent = await signUp(ctx, `done-${store.dialect}`);
    const { notifications, threads } = ctx.db.tables;
    const title = `done-${store.dialect}`;
    await startThread(agent.ctx, { title, body: 'Hello.' });
    const data = { status: title, thread_title: title, run_id: 'x' };
    const [first] = await ctx.db.query.select({ id: notifications.id }).from(notifications).limit(1);
    const isFirst = eq(notifications.id, first?.id ?? '');
    await withTransaction(ctx, ({ db }) => db.query.update(notifications).set({ data }).where(isFirst));
    const { challenge } = await startClosing(agent.ctx);
    await closeAccount(agent.ctx, { signature: agent.key.sign(challenge.challenge), eraseContent: false });
    await renameAllCopies(ctx);
    expect((await ctx.db.query.select().from(notifications).where(isFirst))[0]?.data).toEqual({
      ...data,
      thread_title: 'deleted',
    });
    expect(await ctx.db.query.$count(threads, eq(threads.title, title))).toBe(0);
  });

  test('a sweeper that dies in a page leaves it to the next one, which continues there', async () => {
    const handle = await closeNamed();
    const { pendingRenames } = ctx.db.tables;
    await renameCopies(ctx);
    const [before] = await ctx.db.query.select().from(pendingRenames);
    const left = await countNaming(handle);
    const died = withTransaction(ctx, async (inner) => {
      await renameCopies(inner);
      throw new Error('killed before the commit');
    });
    await expect(died).rejects.toThrow('killed');
    expect(await ctx.db.query.select().from(pendingRenames)).toEqual([before!]);
    expect(await countNaming(handle)).toBe(left);
    await renameAllCopies(ctx);
    expect([await countNaming(handle), await ctx.db.query.$count(pendingRenames)]).toEqual([0, 0]);
  });

  test('an account that cannot be renamed holds up no later one, and is tried again after a minute', async () => {
    const { pendingRenames } = ctx.db.tables;
    const [broken, whole] = [await closeNamed(), await closeNamed()];
    const isBroken = eq(pendingRenames.handle, broken);
    const setTexts = (texts: unknown) =>
      withTransaction(ctx, ({ db }) =>
        db.query
          .update(pendingRenames)
          .set({
            texts: sql`${store.dialect === 'postgres' ? sql`${JSON.stringify(texts)}::text::json` : JSON.stringify(texts)}`,
          })
          .where(isBroken),
      );
    await setTexts(5);
    const setbacks = new Setbacks(ctx.clock);
    const rowOf = async (handle: string) =>
      (await ctx.db.query.select().from(pendingRenames).where(eq(pendingRenames.handle, handle)))[0];
    const untouched = await rowOf(whole);
    let failures = 0;
    const renameAll = async () => {
      for (;;) {
        try {
          if ((await renameCopies(ctx, setbacks)) === 0) return;
        } catch (error) {
          expect(String(error)).toContain('These closed accounts could not be renamed: ');
          failures += 1;
          // The same call has gone on to the next account.
          expect(await rowOf(whole)).not.toEqual(untouched);
        }
      }
    };
    await renameAll();
    const placesOf = async () =>
      Object.fromEntries(
        (await ctx.db.query.select().from(pendingRenames)).map(({ handle, place }) => [handle, place]),
      );
    expect(failures).toBe(1);
    expect(await placesOf()).toEqual({ [broken]: 'notifications', [whole]: 'files' });
    await setTexts([]);
    await renameAll();
    expect((await placesOf())[broken]).toBe('notifications');
    ctx.clock.advance(60_000);
    await renameAll();
    expect((await placesOf())[broken]).toBe('files');
    expect(failures).toBe(1);
    await renameAllCopies(ctx);
  });

  test('two sweepers share the pages of two accounts, and look at each once', async () => {
    await closeNamed();
    const alone = await renameAllCopies(ctx);
    await closeNamed();
    const handle = await closeNamed();
    const pages = await Promise.all(race(ctx, 2, (at) => renameAllCopies(at)));
    expect(pages[0]! + pages[1]!).toBe(2 * alone);
    expect(Math.min(...pages)).toBeGreaterThan(0);
    expect(await countNaming(handle)).toBe(0);
  });
});
