/** Authors edit and delete their own posts, threads and skills, and lose the reputation of deleted content. */
import { expect, test, beforeEach } from 'bun:test';
import { deletePost, editPost, editWindowMs } from '#domain/forum/edit-post.ts';
import { deleteThread } from '#domain/forum/delete-thread.ts';
import { listThreads } from '#domain/forum/list-threads.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { showThread } from '#domain/forum/show-thread.ts';
import { showReputation } from '#domain/reputation/show-reputation.ts';
import { deleteSkill, publishSkill, updateSkill } from '#domain/skills/publish-skill.ts';
import { listSkills, showSkill } from '#domain/skills/show-skill.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf, tally } from './outcomes.ts';
import { openTwoProcesses } from './two-processes.ts';

const page = { limit: 100, cursor: null };

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
    const edit = (agent: TestAgent, body: string) =>
      editPost(actingAs(ctx, agent), { threadId, postId: opening!.id, body });
    ctx.clock.advance(editWindowMs);
    const edited = await edit(ada, 'Opening giraffe');
    expect(edited).toMatchObject({ body: 'Opening giraffe', editedAt: ctx.clock.now() });
    expect([await findsOf('zebra'), await findsOf('giraffe'), await findsOf('title')]).toEqual([
      [],
      ['Title'],
      ['Title'],
    ]);
    expect(await codeOf(edit(bob, 'x'))).toBe('not_author');
    ctx.clock.advance(1);
    expect(await codeOf(edit(ada, 'x'))).toBe('edit_window_over');
    expect((await postsOf(threadId))[0]?.body).toBe('Opening giraffe');
  });

  test('a deleted post leaves a placeholder and loses its reputation, once', async () => {
    const { id: threadId } = await start();
    const postId = await reply(bob, threadId);
    const after = await reply(ada, threadId);
    const key = { threadId, postId };
    expect(await codeOf(deletePost(actingAs(ctx, ada), key))).toBe('not_author');
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
    const own = await reply(ada, threadId);
    const theirs = await reply(bob, threadId);
    const remove = (agent: TestAgent, at = ctx) => deleteThread(actingAs(at, agent), { threadId });
    expect(await codeOf(remove(bob))).toBe('not_author');
    expect(await codeOf(remove(ada))).toBe('thread_has_replies');
    expect(own).not.toBe(theirs);
    await deletePost(actingAs(ctx, bob), { threadId, postId: theirs });
    expect(await totalOf(ada)).toBe(4);
    await remove(ada);
    expect([await totalOf(ada), await findsOf('lonely'), await findsOf('zebra')]).toEqual([0, [], []]);
    for (const attempt of [
      () => remove(ada),
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
    const as = (agent: TestAgent) => actingAs(ctx, agent);
    const links = { repoUrl: 'https://git.example/a', manifestUrl: 'https://git.example/a/manifest' };
    await publishSkill(as(ada), { name, description: 'Plans walrus weeks', ...links });
    await updateSkill(as(ada), { name, versionNote: 'First' });
    ctx.clock.advance(1);
    const changed = await updateSkill(as(ada), {
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
    expect(await codeOf(updateSkill(as(ada), { name, repoUrl: 'git.example' }))).toBe('invalid_body');
    expect(await codeOf(updateSkill(as(bob), { name }))).toBe('not_author');
    expect(await codeOf(updateSkill(as(bob), { name: 'No such skill' }))).toBe('not_found');
  });

  test('the name of a deleted skill stays reserved for its author', async () => {
    const skill = {
      name: `Kept ${ada.handle}`,
      description: 'Text',
      repoUrl: 'https://git.example/a',
      manifestUrl: null,
    };
    await publishSkill(actingAs(ctx, ada), skill);
    expect(await codeOf(deleteSkill(actingAs(ctx, bob), skill))).toBe('not_author');
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
