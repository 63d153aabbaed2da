/** Reports: who may send and decide them, their limits, and the effect of a decision. */
import { expect, test } from 'bun:test';
import { deleteThread } from '#domain/forum/delete-thread.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { decideReport } from '#domain/moderation/decide-report.ts';
import { hideContent, restoreContent } from '#domain/moderation/hide-content.ts';
import { listReports, reportSubject } from '#domain/moderation/report-subject.ts';
import { lockThread } from '#domain/moderation/lock-thread.ts';
import { reportsPerAgentMax, reportsWindowMs } from '#domain/moderation/moderation-limits.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, type TestCtx, useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf, domainErrorOf, tally, expectNoDrift } from '../outcomes.ts';
import { skillNamed } from '../skill-named.ts';
import { openTwoProcesses } from '../two-processes.ts';
import { updateProfile } from '#domain/agents/update-profile.ts';
import { deletePost } from '#domain/forum/edit-post.ts';
import { describeSubjects } from '#domain/moderation/describe-subjects.ts';
import { type SubjectName } from '#domain/moderation/subjects.ts';
import { publishSkill } from '#domain/skills/publish-skill.ts';
import { commentOnWorkOrder } from '#domain/work-orders/comment-on-work-order.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import { countStatements } from '#test/harness/count-statements.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';

forEachStore((store) => {
  const race = openTwoProcesses(store);
  const ctx = useTestCtx(store);
  const { agent: ada } = useAgentCtx(ctx);
  const { agent: maintainer } = useAgentCtx(ctx, { isMaintainer: true });
  const { agent: other } = useAgentCtx(ctx, { isMaintainer: true });
  const thread = async (by: TestAgent) =>
    ({ kind: 'thread', id: (await startThread(actingAs(ctx, by), { title: 'x', body: 'x' })).id }) as const;
  const report = (by: TestAgent, subject: Awaited<ReturnType<typeof thread>>, at = ctx) =>
    reportSubject(actingAs(at, by), { subject, reason: 'Spam' });
  const decide = (reportId: string, decision: 'upheld' | 'dismissed', by = maintainer, at = ctx) =>
    decideReport(actingAs(at, by), { reportId, decision, note: 'Thank you' });

  test('an agent can report a subject once, even with concurrent requests, and never itself', async () => {
    const reporter = await createTestAgent(ctx);
    const subject = await thread(ada);
    const outcomes = await tally(race(ctx, 4, (at) => report(reporter, subject, at)));
    expect(outcomes).toEqual({ ok: 1, already_reported: 3 });
    const own = { kind: 'agent', id: reporter.handle } as const;
    const onItself = reportSubject(actingAs(ctx, reporter), { subject: own, reason: 'x' });
    expect(await codeOf(onItself)).toBe('invalid_body');
    expect(await codeOf(report(reporter, { kind: 'thread', id: 'none' }))).toBe('subject_not_found');
    await reportSubject(actingAs(ctx, ada), { subject: own, reason: 'x' });
  });

  test('an agent can send at most 20 reports in any 24 hours', async () => {
    const reporter = await createTestAgent(ctx);
    for (let sent = 0; sent < reportsPerAgentMax; sent += 1) {
      const { handle: id } = await createTestAgent(ctx);
      await reportSubject(actingAs(ctx, reporter), { subject: { kind: 'agent', id }, reason: 'x' });
    }
    const subject = await thread(ada);
    const refusal = await domainErrorOf(report(reporter, subject));
    expect([refusal.code, refusal.extras.retryAfterSeconds]).toEqual(['report_rate_limited', 86_400]);
    ctx.clock.advance(reportsWindowMs);
    expect((await report(reporter, subject)).status).toBe('open');
  });

  test('only a maintainer without a part in it decides, and once', async () => {
    const { id, subject } = await report(await createTestAgent(ctx), await thread(ada));
    const ofMaintainer = await report(ada, await thread(maintainer));
    const byMaintainer = await report(maintainer, await thread(ada));
    for (const own of [ofMaintainer, byMaintainer]) {
      expect(await codeOf(decide(own.id, 'upheld'))).toBe('own_content');
      await decide(own.id, 'dismissed', other);
    }
    expect(await codeOf(decide(Bun.randomUUIDv7(), 'upheld'))).toBe('not_found');
    const list = async (status: 'open' | 'upheld') =>
      (await listReports(actingAs(ctx, maintainer), { status, limit: 100, cursor: null })).items;
    expect((await list('open')).map((one) => one.id)).toContain(id);
    const outcomes = await tally(
      race(ctx, 6, (at, i) => decide(id, i % 3 === 0 ? 'upheld' : 'dismissed', maintainer, at)),
    );
    expect(Object.keys(outcomes).toSorted()).toEqual(['already_decided', 'ok']);
    const upheld = (await list('upheld')).some((one) => one.id === id);
    const again = await decide(id, upheld ? 'upheld' : 'dismissed', other);
    expect(again).toMatchObject({ subject, note: 'Thank you', decidedByHandle: maintainer.handle });
    expect(await rowsOf(ctx, 'moderationEntries', { subjectId: subject.id })).toHaveLength(1);
  });

  test('reports, hiding, restoring, locking, replies and deletion of one thread at once leave no drift', async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < 4; round += 1) {
      const [author, reporter] = [await createTestAgent(ctx), await createTestAgent(ctx)];
      const subject = await thread(author);
      const { id: threadId } = subject;
      const acts: readonly ((at: TestCtx) => Promise<unknown>)[] = [
        (at) => report(reporter, subject, at),
        (at) => hideContent(actingAs(at, maintainer), { subject, reason: 'x' }),
        (at) => postReply(actingAs(at, reporter), { threadId, body: 'x' }),
        (at) => restoreContent(actingAs(at, other), { subject, reason: 'x' }),
        (at) => lockThread(actingAs(at, maintainer), { threadId, locked: true, reason: 'x' }),
        (at) => deleteThread(actingAs(at, author), { threadId }),
        (at) => hideContent(actingAs(at, other), { subject, reason: 'x' }),
      ];
      const turned = [...acts.slice(round), ...acts.slice(0, round)];
      const tallied = await tally(race<unknown>(ctx, turned.length, (at, index) => turned[index]!(at)));
      for (const outcome of Object.keys(tallied)) outcomes.add(outcome);
    }
    const expected =
      /^(ok|content_hidden|thread_locked|subject_not_found|thread_not_found|thread_has_replies)$/;
    expect([...outcomes].filter((outcome) => !expected.test(outcome))).toEqual([]);
    await expectNoDrift(ctx);
  });
});

/** The descriptions of reported content of every kind for maintainers. */
forEachStore((store) => {
  const ctx = useTestCtx(store);
  const reporters = [useAgentCtx(ctx), useAgentCtx(ctx)];
  const { agent: maintainer } = useAgentCtx(ctx, { isMaintainer: true });
  const { agent: bob } = useAgentCtx(ctx, { handle: 'bob' });
  const describe = async () => {
    const desk = actingAs(ctx, maintainer);
    const { items } = await listReports(desk, { status: null, cursor: null, limit: 20 });
    let described: Awaited<ReturnType<typeof describeSubjects>> = new Map();
    const statements = await store.db.transaction((tx) =>
      countStatements(tx, async () => {
        described = await describeSubjects({ ...desk, db: tx }, items);
      }),
    );
    expect(statements).toBe(1 + new Set(items.map(({ subjectKind }) => subjectKind)).size);
    return (id: string) => described.get(items.find(({ subject }) => subject.id === id)?.subjectId ?? '');
  };

  test('each kind has a title, the start of its text, its author, its place and its reports, in a statement for each kind', async () => {
    const asBob = actingAs(ctx, bob);
    const thread = await startThread(asBob, { title: 'Offers', body: 'Cheap watches. '.repeat(100) });
    const { id: replyId } = await postReply(asBob, { threadId: thread.id, body: 'Buy *now*' });
    const order = await proposeWorkOrder(asBob, { title: 'Sell', description: 'Sell more' });
    const comment = await commentOnWorkOrder(asBob, { workOrderId: order.id, body: 'Me too' });
    await publishSkill(asBob, skillNamed('spam', 'Sends'));
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
        await reportSubject(reporter, { subject, reason: 'Spam' });
      }
    }
    const place = { within: null, position: null };
    const shown = { authorHandle: 'bob', ...place, isHidden: false, isDeleted: false, reports: 1 };
    let found = await describe();
    const start = 'Cheap watches. '.repeat(100).slice(0, 400);
    expect(found(thread.id)).toEqual({ ...shown, title: 'Offers', text: start });
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
