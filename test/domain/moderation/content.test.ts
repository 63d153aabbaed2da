/** Hiding, restoring and locking: what others see, the effect on reputation, and what the log keeps. */
import { expect, test, beforeEach } from 'bun:test';
import { listAgents } from '#domain/agents/list-agents.ts';
import { showAgent } from '#domain/agents/show-agent.ts';
import { updateProfile } from '#domain/agents/update-profile.ts';
import { deletePost, editPost } from '#domain/forum/edit-post.ts';
import { listThreads } from '#domain/forum/list-threads.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { showThread } from '#domain/forum/show-thread.ts';
import { hideContent, restoreContent } from '#domain/moderation/hide-content.ts';
import { listModerationEntries, summarizeModeration } from '#domain/moderation/moderation-log.ts';
import { lockThread } from '#domain/moderation/lock-thread.ts';
import type { SubjectName } from '#domain/moderation/subjects.ts';
import { showReputation } from '#domain/reputation/show-reputation.ts';
import { listSkills, showSkill } from '#domain/skills/show-skill.ts';
import { deleteSkill, publishSkill } from '#domain/skills/publish-skill.ts';
import { listWorkOrders } from '#domain/work-orders/list-work-orders.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import { showWorkOrder } from '#domain/work-orders/show-work-order.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { codeOf, expectNoDrift, tally } from '../outcomes.ts';
import { skillNamed } from '../skill-named.ts';
import { openTwoProcesses } from '../two-processes.ts';
import { moveWorkOrder } from '../work-orders/propose-and-end.ts';

const page = { limit: 100, cursor: null };
const reason = 'Spam';

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let ada: TestAgent;
  let bob: TestAgent;
  const ctx = useTestCtx(store);
  const { agent: maintainer } = useAgentCtx(ctx, { isMaintainer: true });
  beforeEach(async () => {
    [ada, bob] = [await createTestAgent(ctx), await createTestAgent(ctx)];
  });
  const hide = (subject: SubjectName, at = ctx) => {
    ctx.clock.advance(1); // The log is in chronological order.
    return hideContent(actingAs(at, maintainer), { subject, reason });
  };
  const restore = (subject: SubjectName, at = ctx) => {
    ctx.clock.advance(1);
    return restoreContent(actingAs(at, maintainer), { subject, reason });
  };
  const start = () => startThread(actingAs(ctx, ada), { title: 'Title', body: 'Opening' });
  const reply = (agent: TestAgent, threadId: string) =>
    postReply(actingAs(ctx, agent), { threadId, body: 'A reply' }).then(({ id }) => id);
  const totalOf = async ({ handle }: TestAgent) => (await showReputation(ctx, { handle })).total;
  const actsOn = async (subjectId: string) =>
    (await rowsOf(ctx, 'moderationEntries', { subjectId })).map(({ act }) => act);
  /** The result for strangers, the author and a maintainer: an error code, or `ok`. */
  const seenBy = async (read: (viewer: TestAgent | null) => Promise<unknown>) =>
    Promise.all(
      [null, bob, ada, maintainer].map(async (viewer) => Object.keys(await tally([read(viewer)]))[0]),
    );
  const hidden = ['content_hidden', 'content_hidden', 'ok', 'ok'];
  const visible = ['ok', 'ok', 'ok', 'ok'];

  test('a hidden thread disappears from lists and searches, and only its author and maintainers can read it', async () => {
    const { id } = await start();
    const read = () => seenBy((viewer) => showThread(ctx, { threadId: id, viewer, ...page }));
    const found = async () => {
      const all = await listThreads(ctx, { author: ada.handle, ...page });
      const matches = await listThreads(ctx, { author: ada.handle, q: 'opening', ...page });
      return [all.items.length, matches.items.length];
    };
    await hide({ kind: 'thread', id });
    expect([await read(), await found(), await totalOf(ada)]).toEqual([hidden, [0, 0], 0]);
    for (const agent of [ada, bob]) expect(await codeOf(reply(agent, id))).toBe('content_hidden');
    await restore({ kind: 'thread', id });
    expect([await read(), await found(), await totalOf(ada)]).toEqual([visible, [1, 1], 3]);
    expect(await actsOn(id)).toEqual(['hide', 'restore']);
  });

  test('a hidden post keeps its place, and a hidden opening post hides the thread', async () => {
    const { id: threadId } = await start();
    const postId = await reply(bob, threadId);
    const bodiesFor = async (viewer: TestAgent | null) => {
      const { posts, thread, isPrivate } = await showThread(ctx, { threadId, viewer, ...page });
      return [thread.postCount, posts.items.map(({ body }) => body), isPrivate];
    };
    await hide({ kind: 'post', id: postId });
    for (const viewer of [null, ada]) expect(await bodiesFor(viewer)).toEqual([2, ['Opening', ''], false]);
    for (const viewer of [bob, maintainer]) {
      expect(await bodiesFor(viewer)).toEqual([2, ['Opening', 'A reply'], true]);
    }
    expect([await totalOf(ada), await totalOf(bob)]).toEqual([3, 0]);
    const [opening] = (await showThread(ctx, { threadId, ...page })).posts.items;
    await hide({ kind: 'post', id: opening!.id });
    expect(await seenBy((viewer) => showThread(ctx, { threadId, viewer, ...page }))).toEqual(hidden);
    expect((await listThreads(ctx, { author: ada.handle, ...page })).items).toEqual([]);
    // Hiding the thread as well revokes nothing more, and it stays hidden until both are restored.
    await hide({ kind: 'thread', id: threadId });
    expect(await totalOf(ada)).toBe(0);
    expect(await codeOf(restore({ kind: 'thread', id: threadId }))).toBe('conflict');
    await restore({ kind: 'post', id: opening!.id });
    expect([await totalOf(ada), await codeOf(showThread(ctx, { threadId, ...page }))]).toEqual([
      0,
      'content_hidden',
    ]);
    await restore({ kind: 'thread', id: threadId });
    expect([await totalOf(ada), await bodiesFor(null)]).toEqual([3, [2, ['Opening', ''], false]]);
  });

  test.each([[['post']], [['post', 'thread']]] as const)(
    'a thread is restored although its hidden opening post was deleted: %p hidden',
    async (kinds) => {
      const { id: threadId } = await start();
      await reply(bob, threadId);
      const [opening] = (await showThread(ctx, { threadId, ...page })).posts.items;
      const postId = opening!.id;
      const [post, thread] = [
        { kind: 'post', id: postId } as const,
        { kind: 'thread', id: threadId } as const,
      ];
      const subjects = { post, thread };
      for (const kind of kinds) await hide(subjects[kind]);
      await deletePost(actingAs(ctx, ada), { threadId, postId });
      expect(await codeOf(restore(subjects.post))).toBe('subject_not_found');
      for (let time = 0; time < 2; time += 1) await restore(subjects.thread);
      const { posts } = await showThread(ctx, { threadId, ...page });
      expect(posts.items.map(({ body }) => body)).toEqual(['', 'A reply']);
      expect(await totalOf(ada)).toBe(3);
      for (const kind of kinds) expect(await actsOn(subjects[kind].id)).toEqual(['hide', 'restore']);
      await expectNoDrift(ctx);
    },
  );

  test('only its author and maintainers can read a hidden skill or its name', async () => {
    const name = `Skill ${ada.handle}`;
    const publicNames = async () => [
      (await summarizeModeration(ctx)).latest[0]?.subject.id,
      ...(await showReputation(ctx, ada)).recent.map(({ reference }) => reference),
    ];
    await publishSkill(actingAs(ctx, ada), skillNamed(name));
    await hide({ kind: 'skill', id: name });
    expect(await seenBy((viewer) => showSkill(ctx, { name, viewer }))).toEqual(hidden);
    expect((await listSkills(ctx, { author: ada.handle, ...page })).items).toEqual([]);
    expect(await totalOf(ada)).toBe(0);
    expect(await publicNames()).toEqual(['private', null, null]);
    await restore({ kind: 'skill', id: name });
    expect([await totalOf(ada), (await showSkill(ctx, { name })).skill.name]).toEqual([10, name]);
    expect(await publicNames()).toEqual([name, name, name, name]);
  });

  test('a hidden skill that its author publishes again earns once it is restored, and once', async () => {
    const name = `Again ${ada.handle}`;
    const publish = () => publishSkill(actingAs(ctx, ada), skillNamed(name));
    await publish();
    await hide({ kind: 'skill', id: name });
    await deleteSkill(actingAs(ctx, ada), { name });
    await publish();
    expect([await totalOf(ada), await seenBy((viewer) => showSkill(ctx, { name, viewer }))]).toEqual([
      0,
      hidden,
    ]);
    await expectNoDrift(ctx);
    for (let time = 0; time < 2; time += 1) await restore({ kind: 'skill', id: name });
    expect(await totalOf(ada)).toBe(10);
    await deleteSkill(actingAs(ctx, ada), { name });
    await publish();
    expect(await totalOf(ada)).toBe(10);
  });

  test('a hidden work order can still be moved by its participants, and by nobody else', async () => {
    const { id } = await proposeWorkOrder(actingAs(ctx, ada), { title: 'x', description: 'x' });
    await hide({ kind: 'work_order', id });
    expect(await seenBy((viewer) => showWorkOrder(ctx, { workOrderId: id, viewer }))).toEqual(hidden);
    const listed = await listWorkOrders(ctx, { status: null, ...page });
    expect(listed.items.map((order) => order.id)).not.toContain(id);
    const ofBob = moveWorkOrder(ctx, bob, { workOrderId: id, to: 'interrogating' });
    expect(await codeOf(ofBob)).toBe('content_hidden');
    const moved = await moveWorkOrder(ctx, ada, { workOrderId: id, to: 'rejected' });
    expect(moved).toMatchObject({ status: 'rejected', hiddenAt: ctx.clock.now() });
    expect(moved.events).toHaveLength(2);
  });

  test('a hidden agent is listed without its bio, site and badge, and not found by its bio', async () => {
    const profile = { bio: 'Sells flamingos', site: 'https://ada.example' };
    await updateProfile(actingAs(ctx, ada), profile);
    const found = async (q: string) => (await listAgents(ctx, { q, ...page })).items.map(({ bio }) => bio);
    expect(await found('flamingos')).toEqual([profile.bio]);
    await hide({ kind: 'agent', id: ada.handle });
    expect([await found('flamingos'), await found(ada.handle)]).toEqual([[], ['']]);
    const { handle } = ada;
    const read = (viewer: TestAgent | null) => showAgent(ctx, { handle, viewer });
    for (const viewer of [null, bob]) expect(await read(viewer)).toMatchObject({ bio: '', site: null });
    for (const viewer of [ada, maintainer]) expect(await read(viewer)).toMatchObject(profile);
    await updateProfile(actingAs(ctx, ada), { bio: 'Still sells flamingos' });
    expect(await found('flamingos')).toEqual([]);
    await restore({ kind: 'agent', id: handle });
    expect(await found('flamingos')).toEqual(['Still sells flamingos']);
  });

  test('maintainers can hide and lock what exists, but not their own content', async () => {
    const own = await startThread(actingAs(ctx, maintainer), { title: 'x', body: 'x' });
    for (const subject of [
      { kind: 'thread', id: own.id },
      { kind: 'agent', id: maintainer.handle },
    ] as const) {
      expect(await codeOf(hide(subject))).toBe('own_content');
      expect(await codeOf(restore(subject))).toBe('own_content');
    }
    const locking = lockThread(actingAs(ctx, maintainer), { threadId: own.id, locked: true, reason });
    expect(await codeOf(locking)).toBe('own_content');
    for (const kind of ['thread', 'post', 'skill', 'work_order', 'agent'] as const) {
      expect(await codeOf(hide({ kind, id: 'nothing-like-it' }))).toBe('subject_not_found');
      expect(await codeOf(hide({ kind, id: Bun.randomUUIDv7() }))).toBe('subject_not_found');
    }
  });

  test('when many maintainers hide and restore the same content, each change happens once', async () => {
    const { id } = await start();
    const subject = { kind: 'thread', id } as const;
    expect(await tally(race(ctx, 6, (at) => hide(subject, at)))).toEqual({ ok: 6 });
    expect([await actsOn(id), await totalOf(ada)]).toEqual([['hide'], 0]);
    expect(await tally(race(ctx, 6, (at) => restore(subject, at)))).toEqual({ ok: 6 });
    expect([await actsOn(id), await totalOf(ada)]).toEqual([['hide', 'restore'], 3]);
  });

  test('an author who deletes hidden content loses its reputation only once', async () => {
    const { id: threadId } = await start();
    const postId = await reply(bob, threadId);
    await hide({ kind: 'post', id: postId });
    await deletePost(actingAs(ctx, bob), { threadId, postId });
    expect(await totalOf(bob)).toBe(0);
    expect(await codeOf(restore({ kind: 'post', id: postId }))).toBe('subject_not_found');
  });

  test('a locked thread accepts deletions, but neither posts nor edits', async () => {
    const { id: threadId } = await start();
    const postId = await reply(bob, threadId);
    const lock = (locked: boolean) => lockThread(actingAs(ctx, maintainer), { threadId, locked, reason });
    for (let time = 0; time < 2; time += 1) await lock(true);
    const key = { threadId, postId };
    for (const agent of [ada, bob, maintainer])
      expect(await codeOf(reply(agent, threadId))).toBe('thread_locked');
    expect(await codeOf(editPost(actingAs(ctx, bob), { ...key, body: 'x' }))).toBe('thread_locked');
    await deletePost(actingAs(ctx, bob), key);
    ctx.clock.advance(1);
    for (let time = 0; time < 2; time += 1) await lock(false);
    await reply(bob, threadId);
    expect(await actsOn(threadId)).toEqual(['lock', 'unlock']);
  });

  test('the log names actor, subject and reason, and the public summary only counts and subjects', async () => {
    const { id } = await start();
    ctx.clock.advance(1);
    await hide({ kind: 'thread', id });
    ctx.clock.advance(1);
    await hide({ kind: 'agent', id: ada.handle });
    const log = await listModerationEntries(actingAs(ctx, maintainer), { limit: 2, cursor: null });
    const by = { actorHandle: maintainer.handle, reason, act: 'hide' };
    expect(log.items).toMatchObject([
      { ...by, subject: { kind: 'agent', id: ada.handle } },
      { ...by, subject: { kind: 'thread', id } },
    ]);
    const { weeks, latest } = await summarizeModeration(ctx);
    expect(latest[0]).toMatchObject({ act: 'hide', subject: { kind: 'agent', id: ada.handle } });
    const hides = weeks.find(({ act }) => act === 'hide');
    expect(hides?.week.getUTCDay()).toBe(1);
    expect(ctx.clock.now().getTime() - hides!.week.getTime()).toBeLessThan(7 * 24 * 3_600_000);
    expect(await rowsOf(ctx, 'moderationEntries', { act: 'hide' })).toHaveLength(hides!.count);
  });
});
