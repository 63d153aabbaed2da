/** A reply that exhausts its graders fails: it makes no run free, and no bar hold. */
import { beforeAll, expect, test } from 'bun:test';
import { reportRun } from '#domain/runs/report-run.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { updateSuite } from '#domain/suites/change-suite.ts';
import { listNotifications } from '#domain/notifications/list-notifications.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { answerEach } from '#test/harness/eval-runs.ts';
import { rowOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { balanceOf, expectNoDrift } from '../outcomes.ts';

/** Compares the reply with 256 texts, which takes more work than a reply may. */
const heavy = {
  all: Array.from({ length: 16 }, () => ({
    any: Array.from({ length: 16 }, () => ({ similar: 'edit', to: ['b '.repeat(1_500)], at_least: 0.9 })),
  })),
};
const longReply = 'c '.repeat(3_900);

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const as = useAgentCtx(ctx, { tokens: 9 });
  const ada = as.agent;
  const { agent: bob } = useAgentCtx(ctx, { tokens: 9 });
  beforeAll(async () => {
    const one = (id: string, grader: object) => ({ id, prompt: 'x', expect: [grader] });
    const light = Array.from({ length: 9 }, (_, at) => one(`light-${at}`, { equals: 'x' }));
    const publish = async (name: string, cases: readonly object[]) => {
      await publishTestSuite(as, { suite: 1, name, cases });
      await updateSuite(as, { owner: ada.handle, name, visibility: 'open' });
    };
    await publish('heavy', [one('heavy', heavy)]);
    await publish('a-tenth', [one('heavy', { any: [heavy, { equals: 'x' }] }), ...light]);
    await publish('costs', [one('costs', { cost_usd: 1 })]);
  });

  const play = async (agent: TestAgent, suite: string, reply = longReply) => {
    const as = actingAs(ctx, agent);
    const { id: runId } = await orderSuiteRun(as, `@${ada.handle}/${suite}`);
    const { cases } = await handOutCases(as, { runId, limit: 10 });
    await answerEach(as, runId, cases, ({ caseId }) => (caseId === 'heavy' ? reply : 'x'));
    return showOwnRun(as, { runId, withCases: true });
  };

  test.each([
    ['of the owner of the suite', ada],
    ['of another agent', bob],
  ])('a run %s completes and is charged, free or not', async (_, agent) => {
    for (const balance of [9, 8]) {
      const { run, cases } = await play(agent, 'heavy');
      expect(run).toMatchObject({ status: 'completed', score: 0, chargeState: 'consumed' });
      expect(cases?.[0]?.trials[0]).toMatchObject({
        status: 'failed',
        graders: [{ expected: 'a reply that can be graded', found: expect.stringContaining('steps') }],
      });
      expect(cases?.[0]?.trials[0]).not.toHaveProperty('exhausted');
      expect(await balanceOf(ctx, agent)).toMatchObject({ balance, held: 0, freeSuiteRunAvailable: false });
      const { result } = await rowOf(ctx, 'runItems', { runId: run.id });
      expect(result).toMatchObject({ status: 'failed', exhausted: 'work' });
    }
    await expectNoDrift(ctx);
  });

  test('the owner is told of runs of others, once a day for each suite', async () => {
    const told = async () => {
      const page = { limit: 50, cursor: null, kind: 'suite.exhausted' } as const;
      const { notifications } = await listNotifications(as, page);
      return notifications.map(({ data }) => data);
    };
    const notice = { suite: `@${ada.handle}/heavy`, version: '1', ungraded: 1, replies: 1 };
    // The two runs before.
    expect(await told()).toEqual([notice]);
    await play(bob, 'a-tenth');
    const other = { ...notice, suite: `@${ada.handle}/a-tenth`, replies: 10 };
    const both = (await told()).toSorted((a, b) => Number(a['replies']) - Number(b['replies']));
    expect(both).toEqual([notice, other]);
    ctx.clock.advance(24 * 60 * 60 * 1_000 + 1);
    await play(bob, 'heavy');
    expect(await told()).toHaveLength(3);
  });

  test('a reply that exhausts its graders makes every bar fall short', async () => {
    const before = await play(ada, 'a-tenth', 'x');
    expect(before.run).toMatchObject({ score: 100 });
    const { run } = await play(ada, 'a-tenth');
    expect(run).toMatchObject({ score: 90 });
    const bars = { minPass: 1, minScore: 91, failOn: 'broken' } as const;
    const report = await reportRun(as, { runId: run.id, baseline: before.run.id, ...bars });
    expect(report.bars.map(({ bar, held }) => [bar, held])).toEqual([
      ['min_pass', false],
      ['min_score', false],
      ['fail_on', false],
      ['min_compared', true],
    ]);
  });

  test('an agent that does not own the suite cannot repeat a run without verdicts for free without end either', async () => {
    const eve = await createTestAgent(ctx, { tokens: 9 });
    const runLimits = { ...ctx.rules.runLimits, failedCallsPerDay: 2 };
    const limited = { ...ctx, rules: { ...ctx.rules, runLimits } };
    const refunded = { failureCode: 'ungraded', chargeState: 'refunded' };
    for (const _ of ['first', 'second']) expect((await play(eve, 'costs')).run).toMatchObject(refunded);
    const third = orderSuiteRun(actingAs(limited, eve), `@${ada.handle}/costs`);
    const message = expect.stringContaining('2 calls within 24 hours');
    await expect(third).rejects.toMatchObject({ code: 'too_many_failed_runs', message });
  });
});
