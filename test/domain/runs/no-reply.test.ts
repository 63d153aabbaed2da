/** Trials without a reply on both stores: they are errors, which no grader sees and which never pass. */
import { beforeAll, expect, test } from 'bun:test';
import { answerCases, gradeAnswers, type SubmittedAnswer } from '#domain/runs/pull/answer-cases.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { gradersInPlace } from '#domain/runs/grading/graders.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import type { AgentCtx } from '#domain/context.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
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

forEachStore((store) => {
  let ctx: TestCtx;
  let ada: TestAgent;
  beforeAll(async () => {
    ctx = createTestCtx(store.db);
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

  test('a run without any reply has a pass rate of 0', async () => {
    const as = actingAs(ctx, ada);
    const runId = await begin(as);
    await submit(
      as,
      runId,
      ids.map((caseId) => ({ caseId, error: 'exit code 9' })),
    );
    const { run, result } = await showOwnRun(as, { runId });
    expect([run.score, result?.pass_rate.value]).toEqual([0, 0]);
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
