/** Trials without a reply: they are errors, which no grader sees and which never pass. */
import { beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { answerCases, gradeAnswers } from '#domain/runs/pull/answer-cases.ts';
import type { SubmittedAnswer } from '#domain/runs/pull/read-answers.ts';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { endDueRuns } from '#domain/runs/sweep-runs.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { gradersInPlace } from '#domain/runs/grading/graders.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { type AgentCtx, withTransaction } from '#domain/context.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { onStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { codeOf } from '../outcomes.ts';

/** An empty text passes all of them. */
const negative = {
  contains: { contains: 'refund', not: true },
  leaks: { leaks: 'tulip-4711', not: true },
  refuses: { refuses: false },
  calls: { tool_calls: [] },
  length: { length: 'words', max: 50 },
  latency: { latency_s: 60 },
  combined: { not: { contains: 'x' } },
};

onStore('sqlite', (store) => {
  let ada: TestAgent;
  const ctx = useTestCtx(store);
  beforeAll(async () => {
    ada = await createTestAgent(ctx, { tokens: 20 });
    await publishTestSuite(actingAs(ctx, ada), {
      suite: 1,
      name: 'negative',
      cases: Object.entries(negative).map(([id, grader]) => ({
        id,
        prompt: `Case ${id}.`,
        expect: [grader],
      })),
    });
  });

  async function begin(as: AgentCtx): Promise<string> {
    const { id: runId } = await orderSuiteRun(as, `@${ada.handle}/negative`);
    await handOutCases(as, { runId, limit: 8 });
    return runId;
  }
  const submit = async (as: AgentCtx, runId: string, answers: readonly SubmittedAnswer[]) =>
    answerCases(as, await gradeAnswers(as, { runId, answers, graders: gradersInPlace }));
  const ids = Object.keys(negative);

  test('a trial without a reply is an error with its reason, and passes no grader that an empty text passes', async () => {
    const as = actingAs(ctx, ada);
    const [first = '', ...others] = ids;
    const runId = await begin(as);
    await submit(as, runId, [
      { caseId: first, text: '' },
      ...others.map((caseId) => ({ caseId, error: `No reply to ${caseId}\0.` })),
    ]);
    const { run, result, cases } = await showOwnRun(as, { runId, withCases: true });
    expect(run).toMatchObject({ status: 'completed', score: expect.closeTo(100 / 7, 0) });
    expect(result?.marks).toEqual(Object.fromEntries(ids.map((id) => [id, id === first ? 'p' : 'e'])));
    expect(cases?.slice(1).map(({ trials }) => trials[0])).toMatchObject(
      others.map((id) => ({
        status: 'error',
        score: 0,
        graders: [],
        response_text: null,
        error_code: 'no_reply',
        error_message: `No reply to ${id}\uFFFD.`,
      })),
    );
  });

  const inError = ids.map((caseId) => ({ caseId, error: 'sh: agent: not found' }));
  /** What an agent does once it has fetched its cases, and how a run ends in which no case had a reply. */
  const ends = {
    errors: { end: (as: AgentCtx, runId: string) => submit(as, runId, inError), code: 'no_reply' },
    cancel: { end: (as: AgentCtx, runId: string) => cancelRun(as, { runId }), code: 'cancelled' },
    'error, then cancel': {
      end: async (as: AgentCtx, runId: string) => {
        await submit(as, runId, inError.slice(0, 1));
        await cancelRun(as, { runId });
      },
      code: 'cancelled',
    },
    nothing: {
      end: async () => {
        ctx.clock.advance(60 * 60 * 1_000);
        await endDueRuns(ctx);
      },
      code: 'no_reply',
    },
  };

  test.each(Object.entries(ends))(
    'a run without any reply fails, and gives its free run back: %s',
    async (_, { end, code }) => {
      const newcomer = await createTestAgent(ctx);
      const as = actingAs(ctx, newcomer);
      await publishTestSuite(as, {
        suite: 1,
        name: 'broken',
        cases: ids.map((id) => ({ id, prompt: `Case ${id}.`, expect: [{ contains: 'x' }] })),
      });
      for (let count = 0; count < 2; count += 1) {
        const { id: runId, chargeFree } = await orderSuiteRun(as, `@${newcomer.handle}/broken`);
        expect(chargeFree).toBe(true);
        await handOutCases(as, { runId, limit: 8 });
        await end(as, runId);
        const { run } = await showOwnRun(as, { runId });
        expect(run).toMatchObject({ status: 'failed', failureCode: code, chargeState: 'refunded' });
        expect(run.failureMessage).toContain('refunded.');
      }
      expect((await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
    },
  );

  test('the failure of a run without any reply names the first reason', async () => {
    const as = actingAs(ctx, ada);
    const runId = await begin(as);
    await submit(as, runId, inError);
    expect((await showOwnRun(as, { runId })).run.failureMessage).toBe(
      'No case got a reply. The first reason: sh: agent: not found. The run was refunded.',
    );
  });

  test('a ranked run without any reply is charged and scores 0: its agent has read the cases', async () => {
    const as = actingAs(ctx, ada);
    await publishTestSuite(as, {
      suite: 1,
      name: 'ranked',
      cases: ids.map((id) => ({ id, prompt: `Case ${id}.`, expect: [{ contains: 'x' }] })),
    });
    const { suites } = ctx.db.tables;
    await withTransaction(ctx, ({ db }) =>
      db.query.update(suites).set({ visibility: 'hidden' }).where(eq(suites.name, 'ranked')),
    );
    for (const { end } of Object.values(ends)) {
      const runner = actingAs(ctx, await createTestAgent(ctx, { tokens: 5 }));
      const { id: runId } = await orderSuiteRun(runner, `@${ada.handle}/ranked`, { ranked: true });
      await handOutCases(runner, { runId, limit: 8 });
      await end(runner, runId);
      expect((await showOwnRun(runner, { runId })).run).toMatchObject({
        status: 'completed',
        score: 0,
        chargeState: 'consumed',
      });
    }
  });

  test('an answer has a reply or an error: nothing stands for an empty text', async () => {
    const as = actingAs(ctx, ada);
    const runId = await begin(as);
    const [caseId = ''] = ids;
    const both = { caseId, text: '', error: 'x' };
    const called = { caseId, toolCalls: [{ name: 'x', arguments: {} }], error: 'x' };
    for (const answer of [{ caseId }, { caseId, toolCalls: [] }, both, called])
      expect(await codeOf(submit(as, runId, [answer]))).toBe('invalid_body');
    await submit(as, runId, [{ caseId, toolCalls: [{ name: 'x', arguments: {} }] }]);
  });
});
