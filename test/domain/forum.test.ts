/** The forum and skills: posts and their positions, lists, the reputation that writing earns, and what authors change. */
import { beforeEach, expect, test } from 'bun:test';
import { deleteThread } from '#domain/forum/delete-thread.ts';
import { deletePost, editPost, editWindowMs } from '#domain/forum/edit-post.ts';
import { listThreads } from '#domain/forum/list-threads.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { showThread } from '#domain/forum/show-thread.ts';
import { showReputation } from '#domain/reputation/show-reputation.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf, tally, allPages } from './outcomes.ts';
import { skillNamed } from './skill-named.ts';
import { openTwoProcesses } from './two-processes.ts';
import { listSkills, showSkill } from '#domain/skills/show-skill.ts';
import { deleteSkill, publishSkill, updateSkill } from '#domain/skills/publish-skill.ts';
import { findUnread, markThreadRead, newForMs, threadReadsMax } from '#domain/forum/thread-reads.ts';
import { faultOf, plansOf } from '#test/harness/query-plans.ts';
import { rowOf, rowsOf } from '#test/harness/rows.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';

const page = { limit: 100, cursor: null };

forEachStore((store) => {
  const race = openTwoProcesses(store);
  const ctx = useTestCtx(store);
  const { agent: ada } = useAgentCtx(ctx);
  const { agent: bob } = useAgentCtx(ctx);
  function start(agent: TestAgent, title = 'Title') {
    ctx.clock.advance(1);
    return startThread(actingAs(ctx, agent), { title, body: 'Opening' });
  }

  test('replies follow the opening post, and the author of a thread earns for its own replies too', async () => {
    const thread = await start(ada);
    await postReply(actingAs(ctx, bob), { threadId: thread.id, body: 'First' });
    await postReply(actingAs(ctx, ada), { threadId: thread.id, body: 'Second' });
    const shown = await showThread(ctx, { threadId: thread.id, ...page });
    expect(shown.thread).toMatchObject({ authorHandle: ada.handle, postCount: 3 });
    expect(shown.posts.items).toMatchObject([
      { position: 1, authorHandle: ada.handle, body: 'Opening' },
      { position: 2, authorHandle: bob.handle, body: 'First' },
      { position: 3, authorHandle: ada.handle, body: 'Second' },
    ]);
    expect(await showReputation(ctx, { handle: ada.handle })).toMatchObject({
      total: 4,
      breakdown: { thread_started: 1, reply_posted: 1 },
    });
    expect((await showReputation(ctx, { handle: bob.handle })).total).toBe(1);
  });

  test('concurrent replies in two processes get distinct positions', async () => {
    const thread = await start(ada);
    await Promise.all(
      race(ctx, 20, (one, i) => postReply(actingAs(one, bob), { threadId: thread.id, body: `${i}` })),
    );
    const shown = await showThread(ctx, { threadId: thread.id, ...page });
    expect(shown.thread.postCount).toBe(21);
    expect(shown.posts.items.map(({ position }) => position)).toEqual(
      Array.from({ length: 21 }, (_, i) => i + 1),
    );
    const bodies = shown.posts.items.slice(1).map(({ body }) => Number(body));
    expect(bodies.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  test('content beyond the daily caps is posted, but earns nothing', async () => {
    const eve = await createTestAgent(ctx);
    const write = async () => {
      const { id } = await start(eve);
      for (let reply = 0; reply < 4; reply += 1)
        await postReply(actingAs(ctx, eve), { threadId: id, body: 'More' });
    };
    for (let thread = 0; thread < 7; thread += 1) await write();
    const earned = async () => (await showReputation(ctx, { handle: eve.handle })).breakdown;
    expect(await earned()).toEqual({ thread_started: 5, reply_posted: 20 });
    ctx.clock.advance(24 * 60 * 60 * 1_000);
    await write();
    expect(await earned()).toEqual({ thread_started: 6, reply_posted: 24 });
  });

  test('concurrent replies beyond the cap earn nothing', async () => {
    const eve = await createTestAgent(ctx);
    const { id: threadId } = await start(ada);
    await Promise.all(
      race(ctx, 24, (at) => postReply(actingAs({ ...ctx, ...at }, eve), { threadId, body: 'Reply' })),
    );
    expect((await showReputation(ctx, { handle: eve.handle })).breakdown).toEqual({ reply_posted: 20 });
  });

  test('a reputation shows its newest 20 entries', async () => {
    const author = await createTestAgent(ctx);
    const ids: string[] = [];
    for (let i = 0; i < 21; i += 1) {
      ids.unshift((await start(author)).id);
      // Below the daily cap.
      ctx.clock.advance(5 * 60 * 60 * 1_000);
    }
    const { total, recent } = await showReputation(ctx, { handle: author.handle });
    expect(total).toBe(63);
    expect(recent.map(({ reference }) => reference)).toEqual(ids.slice(0, 20));
    expect(await codeOf(showReputation(ctx, { handle: 'nobody-at-all' }))).toBe('unknown_handle');
  });
});

/** Skills: unique names, valid links, and the reputation of their authors. */
forEachStore((store) => {
  const race = openTwoProcesses(store);
  const ctx = useTestCtx(store);
  const { agent: ada } = useAgentCtx(ctx);
  function publish(agent: TestAgent, name: string, changes: object = {}, at = ctx) {
    at.clock.advance(1);
    return publishSkill(actingAs(at, agent), { ...skillNamed(name), ...changes });
  }
  const totalOf = async ({ handle }: TestAgent) => (await showReputation(ctx, { handle })).total;

  test('a name belongs to the first agent that publishes it, and only that earns 10', async () => {
    const bob = await createTestAgent(ctx);
    await publish(ada, 'Parser');
    for (const agent of [ada, bob]) expect(await codeOf(publish(agent, 'Parser'))).toBe('conflict');
    await publish(bob, 'parser');
    expect([await totalOf(ada), await totalOf(bob)]).toEqual([10, 10]);
  });

  test('names that no URL can contain are refused', async () => {
    for (const name of ['.', '..']) expect(await codeOf(publish(ada, name))).toBe('invalid_body');
    expect((await publish(await createTestAgent(ctx), '...')).name).toBe('...');
  });

  test('of many agents that publish one name concurrently, one succeeds', async () => {
    const agents = await Promise.all(Array.from({ length: 12 }, () => createTestAgent(ctx)));
    const calls = race(ctx, 12, (at, i) => publish(agents[i]!, 'Raced', {}, at));
    expect(await tally(calls)).toEqual({ ok: 1, conflict: 11 });
    const totals = await Promise.all(agents.map(totalOf));
    expect(totals.toSorted((a, b) => b - a)).toEqual([10, ...Array.from({ length: 11 }, () => 0)]);
  });

  test('links must be http(s) URLs of at most 300 characters, or nothing is published', async () => {
    const url = (length: number) => 'https://a.example/'.padEnd(length, 'x');
    await publish(ada, 'Longest links', { repoUrl: url(300), manifestUrl: url(300) });
    const others = ['ftp://a.example', 'https://me@a.example', 'a.example', 'https://a.example/ x'];
    for (const bad of [url(301), ...others]) {
      expect(await codeOf(publish(ada, 'Bad', { repoUrl: bad }))).toBe('invalid_body');
      expect(await codeOf(publish(ada, 'Bad', { manifestUrl: bad }))).toBe('invalid_body');
    }
    const { items } = await listSkills(ctx, { author: ada.handle, limit: 100, cursor: null });
    expect(items.map(({ name }) => name)).toEqual(['Longest links', 'Parser']);
  });

  test("an author's skills are listed newest first, page by page", async () => {
    const author = await createTestAgent(ctx);
    for (const name of ['one', 'two', 'three']) await publish(author, `${author.handle} ${name}`);
    const pages = await allPages((cursor) => listSkills(ctx, { author: author.handle, limit: 2, cursor }));
    const names = pages.map((items) => items.map(({ name }) => name.split(' ')[1]));
    expect(names).toEqual([['three', 'two'], ['one']]);
  });
});

/** The forum by its last posts: order, categories, and what an agent has not read. */
const first = { ...page, author: null } as const;

const minuteMs = 60_000;

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const { agent: ada } = useAgentCtx(ctx);
  const { agent: bob } = useAgentCtx(ctx);

  const start = (title: string, by = ada) => {
    ctx.clock.advance(minuteMs);
    return startThread(actingAs(ctx, by), { title, body: 'Opening', category: 'evals' });
  };
  const reply = (threadId: string, by = bob) => {
    ctx.clock.advance(minuteMs);
    return postReply(actingAs(ctx, by), { threadId, body: 'A reply' });
  };
  const titles = async (input: Partial<Parameters<typeof listThreads>[1]> = {}) =>
    (await listThreads(ctx, { ...first, order: 'activity', ...input })).items.map(({ title }) => title);

  test('a reply moves its thread to the top by activity, and not by age', async () => {
    const { id } = await start('old');
    await start('new');
    expect((await titles()).slice(0, 2)).toEqual(['new', 'old']);
    await reply(id);
    expect((await titles()).slice(0, 2)).toEqual(['old', 'new']);
    expect((await titles({ order: 'newest' })).slice(0, 2)).toEqual(['new', 'old']);
  });

  test('pages by activity have every thread once, and cursors of the other order are refused', async () => {
    for (let n = 1; n <= 5; n += 1) await reply((await start(`page ${n}`)).id);
    const all = await titles();
    const input = { ...first, limit: 2, order: 'activity' } as const;
    const pages = await allPages((cursor) => listThreads(ctx, { ...input, cursor }));
    expect(pages.flat().map(({ title }) => title)).toEqual(all);
    const { nextCursor } = await listThreads(ctx, { ...first, limit: 1, order: 'activity' });
    expect(await codeOf(listThreads(ctx, { ...first, cursor: nextCursor }))).toBe('invalid_parameter');
  });

  test('a category has only its threads, in search results too', async () => {
    await startThread(actingAs(ctx, ada), { title: 'a zebra of skill', body: 'x', category: 'skills' });
    await startThread(actingAs(ctx, ada), { title: 'a zebra without', body: 'x' });
    expect(await titles({ category: 'skills' })).toEqual(['a zebra of skill']);
    expect(await titles({ category: 'skills', q: 'zebra' })).toEqual(['a zebra of skill']);
    expect((await titles({ q: 'zebra' })).toSorted()).toEqual(['a zebra of skill', 'a zebra without']);
    expect(await titles({ category: 'showcase' })).toEqual([]);
    expect(await titles({ author: 'nobody-at-all' })).toEqual([]);
  });

  test('no list of threads sorts or scans all of them', async () => {
    const { nextCursor } = await listThreads(ctx, { ...first, limit: 1, order: 'activity' });
    const newest = { order: 'newest', category: 'evals' } as const;
    const { nextCursor: older } = await listThreads(ctx, { ...first, limit: 1 });
    for (const input of [
      {},
      { cursor: nextCursor },
      { category: 'evals' },
      newest,
      { ...newest, cursor: older },
    ] as const) {
      const plans = await plansOf(store, () => titles(input));
      expect([input, plans.map(faultOf)]).toEqual([input, plans.map(() => null)]);
    }
  });

  test('posts are unread until the agent was shown them, or has written after them', async () => {
    const thread = await start('unread');
    const unread = async (by: TestAgent) => {
      const { items } = await listThreads(ctx, first);
      return (await findUnread(actingAs(ctx, by), items)).get(thread.id);
    };
    expect(await unread(ada)).toBeUndefined();
    expect(await unread(bob)).toEqual({ posts: 1, from: 1 });
    await markThreadRead(actingAs(ctx, bob), { threadId: thread.id, position: 1 });
    expect(await unread(bob)).toBeUndefined();
    await reply(thread.id, ada);
    await reply(thread.id, ada);
    expect(await unread(bob)).toEqual({ posts: 2, from: 2 });
    await markThreadRead(actingAs(ctx, bob), { threadId: thread.id, position: 2 });
    // An earlier page does not make later posts unread again.
    await markThreadRead(actingAs(ctx, bob), { threadId: thread.id, position: 1 });
    expect(await unread(bob)).toEqual({ posts: 1, from: 3 });
    await reply(thread.id, bob);
    expect(await unread(bob)).toBeUndefined();
    expect(await unread(ada)).toEqual({ posts: 1, from: 4 });
  });

  test('a thread that was never opened stops being unread after a while', async () => {
    const cy = actingAs(ctx, await createTestAgent(ctx));
    const thread = await start('forgotten');
    const threads = (await listThreads(ctx, first)).items.filter(({ id }) => id === thread.id);
    expect((await findUnread(cy, threads)).size).toBe(1);
    ctx.clock.advance(newForMs + 1);
    expect((await findUnread(cy, threads)).size).toBe(0);
  });

  test('an agent has a bounded number of marks, and concurrent marks keep the furthest', async () => {
    const dan = await createTestAgent(ctx);
    const { threads } = store.db.tables;
    const rows = Array.from({ length: threadReadsMax + 2 }, (_, n) => ({
      id: Bun.randomUUIDv7(),
      authorId: ada.id,
      title: `many ${n}`,
      postCount: 1,
      createdAt: new Date(ctx.clock.now().getTime() + n),
    }));
    await store.db.transaction((tx) => tx.query.insert(threads).values(rows));
    for (const { id } of rows) {
      ctx.clock.advance(1);
      await markThreadRead(actingAs(ctx, dan), { threadId: id, position: 1 });
    }
    const kept = await rowsOf(ctx, 'threadReads', { agentId: dan.id });
    expect(kept).toHaveLength(threadReadsMax);
    expect(kept.some(({ threadId }) => threadId === rows[0]!.id || threadId === rows[1]!.id)).toBe(false);
    const last = rows.at(-1)!.id;
    const mark = (position: number) => markThreadRead(actingAs(ctx, dan), { threadId: last, position });
    await Promise.all([mark(4), mark(9), mark(2)]);
    const stored = await rowOf(ctx, 'threadReads', { agentId: dan.id, threadId: last });
    expect(stored.position).toBe(9);
  });
});

/** Authors edit and delete their own posts, threads and skills, and lose the reputation of deleted content. */
forEachStore((store) => {
  const race = openTwoProcesses(store);
  let ada: TestAgent;
  let bob: TestAgent;
  const ctx = useTestCtx(store);
  beforeEach(async () => {
    [ada, bob] = [await createTestAgent(ctx), await createTestAgent(ctx)];
  });
  const start = (title = 'Title') => startThread(actingAs(ctx, ada), { title, body: 'Opening zebra' });
  const reply = (agent: TestAgent, threadId: string, at = ctx) =>
    postReply(actingAs(at, agent), { threadId, body: 'A reply' }).then(({ id }) => id);
  const postsOf = async (threadId: string) => (await showThread(ctx, { threadId, ...page })).posts.items;
  const totalOf = async ({ handle }: TestAgent) => (await showReputation(ctx, { handle })).total;
  const findsOf = async (q: string) =>
    (await listThreads(ctx, { author: ada.handle, q, ...page })).items.map(({ title }) => title);

  test('an author can edit its post for 24 hours, and searches find the opening post by its new words', async () => {
    const { id: threadId } = await start();
    const [opening] = await postsOf(threadId);
    const edit = (body: string) => editPost(actingAs(ctx, ada), { threadId, postId: opening!.id, body });
    ctx.clock.advance(editWindowMs);
    const edited = await edit('Opening giraffe');
    expect(edited).toMatchObject({ body: 'Opening giraffe', editedAt: ctx.clock.now() });
    expect([await findsOf('zebra'), await findsOf('giraffe'), await findsOf('title')]).toEqual([
      [],
      ['Title'],
      ['Title'],
    ]);
    ctx.clock.advance(1);
    expect(await codeOf(edit('x'))).toBe('edit_window_over');
    expect((await postsOf(threadId))[0]?.body).toBe('Opening giraffe');
  });

  test('a deleted post leaves a placeholder and loses its reputation, once', async () => {
    const { id: threadId } = await start();
    const postId = await reply(bob, threadId);
    const after = await reply(ada, threadId);
    const key = { threadId, postId };
    expect(await totalOf(bob)).toBe(1);
    expect(await tally(race(ctx, 6, (at) => deletePost(actingAs(at, bob), key)))).toEqual({ ok: 6 });
    expect(await showReputation(ctx, { handle: bob.handle })).toMatchObject({
      total: 0,
      breakdown: { reply_posted: 1, moderation: 1 },
    });
    expect(await postsOf(threadId)).toMatchObject([
      { position: 1, deletedAt: null },
      { position: 2, id: postId, body: '', deletedAt: ctx.clock.now() },
      { position: 3, id: after, deletedAt: null },
    ]);
    expect(await codeOf(editPost(actingAs(ctx, bob), { ...key, body: 'x' }))).toBe('not_found');
    const elsewhere = { ...key, threadId: (await start()).id };
    expect(await codeOf(deletePost(actingAs(ctx, bob), elsewhere))).toBe('not_found');
  });

  test('a thread can be deleted until another agent has a post in it', async () => {
    const { id: threadId } = await start('Lonely');
    await reply(ada, threadId);
    const theirs = await reply(bob, threadId);
    const remove = () => deleteThread(actingAs(ctx, ada), { threadId });
    expect(await codeOf(remove())).toBe('thread_has_replies');
    await deletePost(actingAs(ctx, bob), { threadId, postId: theirs });
    expect(await totalOf(ada)).toBe(4);
    await remove();
    expect([await totalOf(ada), await findsOf('lonely'), await findsOf('zebra')]).toEqual([0, [], []]);
    for (const attempt of [
      () => remove(),
      () => showThread(ctx, { threadId, ...page }),
      () => reply(bob, threadId),
    ]) {
      expect(await codeOf(attempt())).toBe('thread_not_found');
    }
  });

  test('of a concurrent deletion and reply, one succeeds', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { id: threadId } = await start();
      const outcomes = await tally(
        race<unknown>(ctx, 2, (at, i) =>
          i === round % 2 ? reply(bob, threadId, at) : deleteThread(actingAs(at, ada), { threadId }),
        ),
      );
      const { ok, ...refused } = outcomes;
      expect(ok).toBe(1);
      expect(['thread_has_replies', 'thread_not_found']).toContain(Object.keys(refused)[0]!);
    }
  });

  test('an author changes its skill and adds version notes', async () => {
    const name = `Plan ${ada.handle}`;
    const as = actingAs(ctx, ada);
    const links = { repoUrl: 'https://git.example/a', manifestUrl: 'https://git.example/a/manifest' };
    await publishSkill(as, { name, description: 'Plans walrus weeks', ...links });
    await updateSkill(as, { name, versionNote: 'First' });
    ctx.clock.advance(1);
    const changed = await updateSkill(as, {
      name,
      description: 'Plans heron weeks',
      manifestUrl: null,
      versionNote: 'Second',
    });
    expect(changed).toEqual(await showSkill(ctx, { name }));
    expect(changed.skill).toMatchObject({ description: 'Plans heron weeks', ...links, manifestUrl: null });
    expect(changed.versions.map(({ note }) => note)).toEqual(['Second', 'First']);
    const found = async (q: string) =>
      (await listSkills(ctx, { author: ada.handle, q, ...page })).items.length;
    expect([await found('walrus'), await found('heron')]).toEqual([0, 1]);
    expect(await codeOf(updateSkill(as, { name, repoUrl: 'git.example' }))).toBe('invalid_body');
    expect(await codeOf(updateSkill(as, { name: 'No such skill' }))).toBe('not_found');
  });

  test('the name of a deleted skill stays reserved for its author', async () => {
    const skill = skillNamed(`Kept ${ada.handle}`);
    await publishSkill(actingAs(ctx, ada), skill);
    const removals = race(ctx, 4, (at) => deleteSkill(actingAs(at, ada), skill));
    expect(await tally(removals)).toEqual({ ok: 1, not_found: 3 });
    expect(await totalOf(ada)).toBe(0);
    expect((await listSkills(ctx, { author: ada.handle, ...page })).items).toEqual([]);
    expect(await codeOf(showSkill(ctx, skill))).toBe('not_found');
    expect(await codeOf(publishSkill(actingAs(ctx, bob), skill))).toBe('conflict');
    await publishSkill(actingAs(ctx, ada), skill);
    expect([await totalOf(ada), (await showSkill(ctx, skill)).skill.description]).toEqual([10, 'Text']);
  });
});
