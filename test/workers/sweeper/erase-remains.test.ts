/**
 * After an account was closed, sweepers erase its handle from the texts that it leaves, and what the store keeps of deleted
 * rows. They finish if one of them dies in between.
 */
import { beforeAll, expect, test } from 'bun:test';
import { eq, sql } from 'drizzle-orm';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeAccount, startClosing } from '#domain/account/close-account.ts';
import { forgetHandle } from '#domain/account/end-renaming.ts';
import { renameCopies } from '#domain/account/rename-copies.ts';
import { updateProfile } from '#domain/agents/update-profile.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { contactSubject, messageEndOf } from '#domain/contact/send-contact-message.ts';
import { withTransaction } from '#domain/context.ts';
import { listThreads } from '#domain/forum/list-threads.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { listSkills } from '#domain/skills/show-skill.ts';
import { publishSkill, updateSkill } from '#domain/skills/publish-skill.ts';
import { commentOnWorkOrder } from '#domain/work-orders/comment-on-work-order.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import { signUp } from '#test/domain/agents/sign-up.ts';
import { rowsWith } from '#test/domain/account/traces.ts';
import { openTwoProcesses } from '#test/domain/two-processes.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { createEraser } from '#workers/sweeper/erase-remains.ts';
import { createLogger } from '#runtime/tracing/log.ts';

const page = { limit: 100, cursor: null };
const eraseWithinMs = 10_000;

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let ctx: TestCtx;
  let bob: TestAgent;
  let mailFolder: string;
  beforeAll(async () => {
    ctx = createTestCtx(store.db);
    bob = await createTestAgent(ctx);
    mailFolder = await mkdtemp(join(tmpdir(), 'agent-hub-mail-'));
  });

  const eraserOf = (at: TestCtx) =>
    createEraser({
      ctx: at,
      mailFolder,
      privateRedis: null,
      logger: createLogger({ name: 'test', level: 'silent' }),
    });

  /** Rounds of a sweeper until no closed account is left. */
  async function sweep(at: TestCtx): Promise<void> {
    const erase = eraserOf(at);
    const giveUpAt = performance.now() + eraseWithinMs;
    while ((await at.db.query.$count(at.db.tables.pendingRenames)) > 0 && performance.now() < giveUpAt) {
      while ((await renameCopies(at)) > 0);
      while ((await erase()) > 0);
      await Bun.sleep(100);
    }
  }

  async function closeWithTexts(handle: string): Promise<void> {
    const loud = handle.toUpperCase();
    const { ctx: own, key } = await signUp(ctx, handle);
    await updateProfile(own, { bio: `Keeps a ${handle}zoo` });
    const thread = await startThread(own, { title: `Ask ${loud}`, body: `I am ${handle}.` });
    await postReply(own, { threadId: thread.id, body: `${loud}: hello` });
    const bobs = await startThread(actingAs(ctx, bob), { title: 'Of Bob', body: 'Hello' });
    await postReply(own, { threadId: bobs.id, body: `@${loud} was here` });
    const name = `Tool of ${loud}`;
    await publishSkill(own, {
      name,
      description: `By ${loud}`,
      repoUrl: `https://git.example/${handle}/tool`,
      manifestUrl: `https://git.example/${handle}/tool.json`,
    });
    await updateSkill(own, { name, versionNote: `${loud} fixed it` });
    const order = await proposeWorkOrder(own, { title: `For ${loud}`, description: `Of ${handle}` });
    await commentOnWorkOrder(own, { workOrderId: order.id, body: `${loud} says so` });
    const { challenge } = await startClosing(own);
    await closeAccount(own, { signature: key.sign(challenge.challenge), eraseContent: false });
  }

  /** The rows that contain a text in any case. */
  const rowsInAnyCase = async (text: string) =>
    (await rowsWith(ctx, [''])).filter((row) => row.toLowerCase().includes(text));

  test('no text that the agent leaves contains its handle in any case, and searches do not find it', async () => {
    const handles = [`quokka-${store.dialect}`, `numbat-${store.dialect}`];
    // Two skills get the same name.
    for (const handle of handles) await closeWithTexts(handle);
    await sweep(ctx);
    for (const handle of handles) {
      expect(await rowsInAnyCase(handle)).toEqual([]);
      const [q] = handle.split('-');
      expect((await listThreads(ctx, { author: null, q: q!, ...page })).items).toEqual([]);
      expect((await listSkills(ctx, { author: null, q: q!, ...page })).items).toEqual([]);
    }
    const kept = await listThreads(ctx, { author: null, q: 'ask deleted', ...page });
    expect(kept.items.map(({ title }) => title)).toEqual(['Ask deleted', 'Ask deleted']);
    const skills = await listSkills(ctx, { author: null, q: 'deleted', ...page });
    expect(skills.items.map(({ repoUrl }) => repoUrl)).toEqual(
      handles.map(() => 'https://git.example/deleted/tool'),
    );
    expect((await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
  });

  test('an account whose mail files cannot be renamed holds up no other one, and is tried again after a minute', async () => {
    const { pendingRenames } = ctx.db.tables;
    const handles = [`bilby-${store.dialect}`, `dunnart-${store.dialect}`] as const;
    for (const handle of handles) await closeWithTexts(handle);
    while ((await renameCopies(ctx)) > 0);
    // A damaged handle, which makes no pattern.
    const setHandle = (from: string, to: string) =>
      withTransaction(ctx, ({ db }) =>
        db.query.update(pendingRenames).set({ handle: to }).where(eq(pendingRenames.handle, from)),
      );
    await setHandle(handles[0], '(');
    const header = `From: a@hub.example\r\nTo: b@hub.example\r\nSubject: ${contactSubject}`;
    writeFileSync(join(mailFolder, 'damaged.eml'), `${header}\r\n\r\nHello\n\n-- ${messageEndOf('(')}`);
    const placesLeft = async () =>
      (await ctx.db.query.select({ place: pendingRenames.place }).from(pendingRenames)).map(
        ({ place }) => place,
      );
    const erase = eraserOf(ctx);
    await expect(erase()).rejects.toThrow('These closed accounts could not be renamed in files: ');
    const giveUpAt = performance.now() + eraseWithinMs;
    while ((await placesLeft()).length > 1 && performance.now() < giveUpAt) {
      while ((await erase()) > 0);
      await Bun.sleep(100);
    }
    expect(await placesLeft()).toEqual(['files']);
    await setHandle('(', handles[0]);
    ctx.clock.advance(60_000);
    while ((await erase()) > 0);
    expect(await placesLeft()).toEqual(['pages']);
    await sweep(ctx);
    expect(await placesLeft()).toEqual([]);
  });

  test('the store keeps no bytes or dead rows of it, with two sweepers, and after one has died', async () => {
    const handle = `wombat-${store.dialect}`;
    await closeWithTexts(handle);
    while ((await renameCopies(ctx)) > 0);
    // A sweeper dies after it has forgotten the handle, before it has erased anything.
    const [pending] = await ctx.db.query.select().from(ctx.db.tables.pendingRenames);
    expect([pending?.place, await forgetHandle(ctx, pending!.agentId)]).toEqual(['files', true]);
    expect(await rowsInAnyCase(handle)).toEqual([]);
    await Promise.all(race(ctx, 2, (at) => sweep(at)));
    expect(await ctx.db.query.$count(ctx.db.tables.pendingRenames)).toBe(0);
    if (store.setting.kind === 'sqlite') {
      const { file } = store.setting;
      const bytes = [file, `${file}-wal`].map((path) => readFileSync(path, 'latin1').toLowerCase()).join();
      expect([`${handle}zoo`, handle].filter((text) => bytes.includes(text))).toEqual([]);
    } else {
      const stats = sql`pg_stat_all_tables where schemaname = current_schema() and vacuum_count = 0`;
      const never = await ctx.db.query.select({ name: sql<string>`relname` }).from(stats);
      expect(never.filter(({ name }) => !name.startsWith('_')).map(({ name }) => name)).toEqual([]);
    }
  });
});
