/** Trials without a reply: they are errors, which no grader sees and which never pass. Those with half a reply say so. */
import { beforeAll, expect, test } from 'bun:test';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { endDueRuns } from '#domain/runs/sweep-runs.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import type { AgentCtx } from '#domain/context.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { onStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { startTarget, targetAt } from '#test/harness/target.ts';
import { codeOf, expectNoDrift } from '../outcomes.ts';
import { answerPulled, carryOut, useEvalRunner } from '#test/harness/eval-runs.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { changeRows } from '#test/harness/rows.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';

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

const redis = useTestRedis();

onStore('sqlite', (store) => {
  const { ctx, runner } = useEvalRunner(store, redis);
  const as = useAgentCtx(ctx, { tokens: 20 });
  const ada = as.agent;
  beforeAll(async () => {
    const graded = Object.entries(negative);
    const cases = graded.map(([id, grader]) => ({ id, prompt: `Case ${id}.`, expect: [grader] }));
    await publishTestSuite(as, { suite: 1, name: 'negative', cases });
  });

  async function begin(as: AgentCtx): Promise<string> {
    const { id: runId } = await orderSuiteRun(as, `@${ada.handle}/negative`);
    await handOutCases(as, { runId, limit: 8 });
    return runId;
  }
  const ids = Object.keys(negative);
  const plain = ids.map((id) => ({ id, prompt: `Case ${id}.`, expect: [{ contains: 'x' }] }));

  test('a trial without a reply is an error with its reason, and passes no grader that an empty text passes', async () => {
    const [first = '', ...others] = ids;
    const runId = await begin(as);
    await answerPulled(as, runId, [
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
  const firstReason = 'No case got a reply. The first reason: sh: agent: not found. The run was refunded.';
  type End = (as: AgentCtx, runId: string) => Promise<unknown>;
  /** What an agent does once it has fetched its cases, and how a run ends in which no case had a reply. */
  const ends: readonly (readonly [how: string, code: string, message: string, end: End])[] = [
    ['errors', 'no_reply', firstReason, (as, runId) => answerPulled(as, runId, inError)],
    ['cancel', 'cancelled', 'refunded.', (as, runId) => cancelRun(as, { runId })],
    [
      'error, then cancel',
      'cancelled',
      'refunded.',
      async (as, runId) => {
        await answerPulled(as, runId, inError.slice(0, 1));
        await cancelRun(as, { runId });
      },
    ],
    [
      'nothing',
      'no_reply',
      'refunded.',
      async () => {
        ctx.clock.advance(60 * 60 * 1_000);
        await endDueRuns(ctx);
      },
    ],
  ];

  test.each(ends)(
    'a run without any reply fails, and gives its free run back: %s',
    async (_, code, message, end) => {
      const as = actingAs(ctx, await createTestAgent(ctx));
      await publishTestSuite(as, { suite: 1, name: 'broken', cases: plain });
      for (let count = 0; count < 2; count += 1) {
        const { id: runId, chargeFree } = await orderSuiteRun(as, `@${as.agent.handle}/broken`);
        expect(chargeFree).toBe(true);
        await handOutCases(as, { runId, limit: 8 });
        await end(as, runId);
        const { run } = await showOwnRun(as, { runId });
        expect(run).toMatchObject({ status: 'failed', failureCode: code, chargeState: 'refunded' });
        expect(run.failureMessage).toContain(message);
      }
      await expectNoDrift(ctx);
    },
  );

  test('a ranked run without any reply is charged and scores 0: its agent has read the cases', async () => {
    await publishTestSuite(as, { suite: 1, name: 'ranked', cases: plain });
    await changeRows(ctx, 'suites', { name: 'ranked' }, { visibility: 'hidden' });
    for (const [, , , end] of ends) {
      const runner = actingAs(ctx, await createTestAgent(ctx, { tokens: 5 }));
      const { id: runId } = await orderSuiteRun(runner, `@${ada.handle}/ranked`, { ranked: true });
      await handOutCases(runner, { runId, limit: 8 });
      await end(runner, runId);
      const { run } = await showOwnRun(runner, { runId });
      expect(run).toMatchObject({ status: 'completed', score: 0, chargeState: 'consumed' });
    }
  });

  test('an answer has a reply or an error: nothing stands for an empty text', async () => {
    const runId = await begin(as);
    const [caseId = ''] = ids;
    const both = { caseId, text: '', error: 'x' };
    const called = { caseId, toolCalls: [{ name: 'x', arguments: {} }], error: 'x' };
    for (const answer of [{ caseId }, { caseId, toolCalls: [] }, both, called])
      expect(await codeOf(answerPulled(as, runId, [answer]))).toBe('invalid_body');
    await answerPulled(as, runId, [{ caseId, toolCalls: [{ name: 'x', arguments: {} }] }]);
  });
  test('the explanation of a failed trial says that the reply was cut off', async () => {
    const told = { id: 'long', prompt: 'Tell a story.', expect: [{ contains: 'once' }, { contains: 'end' }] };
    await publishTestSuite(as, { suite: 1, name: 'stories', cases: [told] });
    const choices = [{ message: { content: 'once' }, finish_reason: 'length' }];
    await using server = startTarget(() => Response.json({ choices }));
    const target = targetAt(server.url, { protocol: 'openai-chat' });
    const run = await orderSuiteRun(as, `@${ada.handle}/stories`, { target });
    await carryOut(runner, run.id);
    const { cases: shown } = await showOwnRun(as, { runId: run.id, withCases: true });
    const cut = 'none of it (the reply was cut off: finish_reason "length")';
    const graders = [{ found: '"once"' }, { passed: false, found: cut }];
    expect(shown?.[0]?.trials).toMatchObject([{ status: 'failed', graders }]);
  });
});
