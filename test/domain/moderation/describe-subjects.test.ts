/** The descriptions of reported content of every kind for maintainers. */
import { beforeAll, expect, test } from 'bun:test';
import { updateProfile } from '#domain/agents/update-profile.ts';
import { deletePost } from '#domain/forum/edit-post.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { describeSubjects } from '#domain/moderation/describe-subjects.ts';
import { hideContent } from '#domain/moderation/hide-content.ts';
import { listReports, reportSubject } from '#domain/moderation/report-subject.ts';
import type { SubjectName } from '#domain/moderation/subjects.ts';
import { publishSkill } from '#domain/skills/publish-skill.ts';
import { commentOnWorkOrder } from '#domain/work-orders/comment-on-work-order.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import { countStatements } from '#test/harness/count-statements.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf } from '../outcomes.ts';

forEachStore((store) => {
  let maintainer: TestAgent;
  let bob: TestAgent;
  let reporters: readonly TestAgent[];
  const ctx = useTestCtx(store);
  beforeAll(async () => {
    maintainer = await createTestAgent(ctx);
    ctx.maintainerDids.add(maintainer.did);
    bob = await createTestAgent(ctx, { handle: 'bob' });
    reporters = [await createTestAgent(ctx), await createTestAgent(ctx)];
  });

  const describe = async () => {
    const desk = actingAs(ctx, maintainer);
    const { items } = await listReports(desk, { status: null, cursor: null, limit: 20 });
    let described: Awaited<ReturnType<typeof describeSubjects>> = new Map();
    const statements = await store.db.transaction((tx) =>
      countStatements(tx, async () => {
        described = await describeSubjects({ ...desk, db: tx }, items);
      }),
    );
    expect(statements).toBe(2);
    return (id: string) => described.get(items.find(({ subject }) => subject.id === id)?.subjectId ?? '');
  };

  test('each kind has a title, the start of its text, its author, its place and its reports, in two statements', async () => {
    const asBob = actingAs(ctx, bob);
    const thread = await startThread(asBob, { title: 'Offers', body: 'Cheap watches. '.repeat(100) });
    const { id: replyId } = await postReply(asBob, { threadId: thread.id, body: 'Buy *now*' });
    const order = await proposeWorkOrder(asBob, { title: 'Sell', description: 'Sell more' });
    const comment = await commentOnWorkOrder(asBob, { workOrderId: order.id, body: 'Me too' });
    await publishSkill(asBob, {
      name: 'spam',
      description: 'Sends',
      repoUrl: 'https://a.org/',
      manifestUrl: null,
    });
    await updateProfile(asBob, { bio: 'I sell.' });
    const subjects: readonly SubjectName[] = [
      { kind: 'thread', id: thread.id },
      { kind: 'post', id: replyId },
      { kind: 'work_order', id: order.id },
      { kind: 'comment', id: comment.id },
      { kind: 'skill', id: 'spam' },
      { kind: 'agent', id: 'bob' },
    ];
    for (const subject of subjects) {
      for (const reporter of reporters.slice(0, subject.kind === 'post' ? 2 : 1)) {
        await reportSubject(actingAs(ctx, reporter), { subject, reason: 'Spam' });
      }
    }
    const shown = {
      authorHandle: 'bob',
      within: null,
      position: null,
      isHidden: false,
      isDeleted: false,
      reports: 1,
    };
    let found = await describe();
    const start = 'Cheap watches. '.repeat(100).slice(0, 400);
    expect(found(thread.id)).toEqual({ ...shown, title: 'Offers', text: start, position: null });
    const post = { ...shown, title: 'Offers', text: 'Buy *now*', within: thread.id, position: 2, reports: 2 };
    expect(found(replyId)).toEqual(post);
    expect(found(order.id)).toEqual({ ...shown, title: 'Sell', text: 'Sell more' });
    expect(found(comment.id)).toEqual({ ...shown, title: 'Sell', text: 'Me too', within: order.id });
    expect(found('spam')).toEqual({ ...shown, title: 'spam', text: 'Sends' });
    expect(found('bob')).toEqual({ ...shown, title: 'bob', text: 'I sell.' });

    for (const subject of subjects) await hideContent(actingAs(ctx, maintainer), { subject, reason: 'Spam' });
    await deletePost(asBob, { threadId: thread.id, postId: replyId });
    found = await describe();
    for (const { id } of subjects) expect([id, found(id)?.isHidden]).toEqual([id, true]);
    expect(found(replyId)).toMatchObject({ text: '', isDeleted: true });
  });

  test('others cannot read it', async () => {
    expect(await codeOf(describeSubjects(actingAs(ctx, bob), []))).toBe('maintainer_only');
  });
});
