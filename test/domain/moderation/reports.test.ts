/** Reports: who may send and decide them, their limits, and the effect of a decision. */
import { beforeAll, expect, test } from 'bun:test';
import { auditHub } from '#domain/audit/audit-hub.ts';
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
import { codeOf, domainErrorOf, tally } from '../outcomes.ts';
import { openTwoProcesses } from '../two-processes.ts';

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let maintainer: TestAgent;
  let other: TestAgent;
  let ada: TestAgent;
  const ctx = useTestCtx(store);
  beforeAll(async () => {
    [maintainer, other] = [await createTestAgent(ctx), await createTestAgent(ctx)];
    for (const { did } of [maintainer, other]) ctx.maintainerDids.add(did);
    ada = await createTestAgent(ctx);
  });
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
      const agent = await createTestAgent(ctx);
      await reportSubject(actingAs(ctx, reporter), {
        subject: { kind: 'agent', id: agent.handle },
        reason: 'x',
      });
    }
    const subject = await thread(ada);
    const refusal = await domainErrorOf(report(reporter, subject));
    expect([refusal.code, refusal.extras.retryAfterSeconds]).toEqual(['report_rate_limited', 86_400]);
    ctx.clock.advance(reportsWindowMs);
    expect((await report(reporter, subject)).status).toBe('open');
  });

  test('only another maintainer can decide, once, and list open reports', async () => {
    const { id, subject } = await report(await createTestAgent(ctx), await thread(ada));
    const ofMaintainer = await report(ada, await thread(maintainer));
    const byMaintainer = await report(maintainer, await thread(ada));
    expect(await codeOf(decide(id, 'upheld', ada))).toBe('maintainer_only');
    for (const own of [ofMaintainer, byMaintainer]) {
      expect(await codeOf(decide(own.id, 'upheld'))).toBe('own_content');
      await decide(own.id, 'dismissed', other);
    }
    expect(await codeOf(decide(Bun.randomUUIDv7(), 'upheld'))).toBe('not_found');
    const list = async (status: 'open' | 'upheld', by = maintainer) =>
      (await listReports(actingAs(ctx, by), { status, limit: 100, cursor: null })).items;
    expect(await codeOf(list('open', ada))).toBe('maintainer_only');
    expect((await list('open')).map((one) => one.id)).toContain(id);
    const outcomes = await tally(
      race(ctx, 6, (at, i) => decide(id, i % 3 === 0 ? 'upheld' : 'dismissed', maintainer, at)),
    );
    expect(Object.keys(outcomes).toSorted()).toEqual(['already_decided', 'ok']);
    const upheld = (await list('upheld')).some((one) => one.id === id);
    const again = await decide(id, upheld ? 'upheld' : 'dismissed', other);
    expect(again).toMatchObject({ subject, note: 'Thank you', decidedByHandle: maintainer.handle });
    const { moderationEntries } = ctx.db.tables;
    const entries = await ctx.db.query.select().from(moderationEntries);
    expect(entries.filter(({ subjectId }) => subjectId === subject.id)).toHaveLength(1);
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
    expect((await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
  });
});
