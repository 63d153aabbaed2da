/** Who pays for a run whose replies the graders of its suite cannot grade. */
import { beforeAll, expect, test } from 'bun:test';
import { auditHub } from '#domain/audit/audit-hub.ts';
import type { Ctx } from '#domain/context.ts';
import { gradersInPlace } from '#domain/runs/grading/grade-reply.ts';
import { answerCases, gradeAnswers } from '#domain/runs/pull/answer-cases.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { listItemsInParts } from '#domain/runs/store-items.ts';
import { updateSuite } from '#domain/suites/change-suite.ts';
import { listNotifications } from '#domain/notifications/list-notifications.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { createTestClock, type TestClock } from '#test/harness/clock.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';

/** Compares the reply with 256 texts, which takes more work than a reply may. */
const heavy = {
  all: Array.from({ length: 16 }, () => ({
    any: Array.from({ length: 16 }, () => ({ similar: 'edit', to: ['b '.repeat(1_500)], at_least: 0.9 })),
  })),
};
const longReply = 'c '.repeat(3_900);

forEachStore((store) => {
  let ctx: Ctx;
  let clock: TestClock;
  let ada: TestAgent;
  let bob: TestAgent;
  beforeAll(async () => {
    clock = createTestClock();
    ctx = createTestCtx(store.db, clock);
    ada = await createTestAgent(ctx, { tokens: 9 });
    bob = await createTestAgent(ctx, { tokens: 9 });
    const one = (id: string, grader: object) => ({ id, prompt: 'x', expect: [grader] });
    const light = Array.from({ length: 9 }, (_, at) => one(`light-${at}`, { equals: 'x' }));
    const publish = async (name: string, cases: readonly object[]) => {
      const as = actingAs(ctx, ada);
      await publishTestSuite(as, { suite: 1, name, cases });
      await updateSuite(as, { owner: ada.handle, name, visibility: 'open' });
    };
    await publish('heavy', [one('heavy', heavy)]);
    await publish('a-tenth', [one('heavy', heavy), ...light]);
  });

  const play = async (agent: TestAgent, suite: string) => {
    const as = actingAs(ctx, agent);
    const { id: runId } = await orderSuiteRun(as, `@${ada.handle}/${suite}`);
    const { cases } = await handOutCases(as, { runId, limit: 10 });
    const answers = cases.map(({ caseId }) => ({ caseId, text: caseId === 'heavy' ? longReply : 'x' }));
    await answerCases(as, await gradeAnswers(as, { runId, answers, graders: gradersInPlace }));
    return showOwnRun(as, { runId, withCases: true });
  };
  const balanceOf = async ({ id }: TestAgent) => (await readBalances(ctx.db, [id], ctx.clock.now())).get(id);
  const drifts = async () => (await auditHub(ctx)).filter((check) => check.drifts.length > 0);

  test('a run whose graders take too much work is charged to the owner of the suite, free or not', async () => {
    for (const balance of [9, 8]) {
      const { run, cases } = await play(ada, 'heavy');
      expect(run).toMatchObject({ status: 'failed', failureCode: 'ungraded', chargeState: 'consumed' });
      expect(cases?.[0]?.trials[0]).not.toHaveProperty('exhausted');
      expect(run.failureMessage).toContain('steps');
      expect(run.failureMessage).toEndWith('The run was not refunded, because the graders are your own.');
      expect(await balanceOf(ada)).toMatchObject({ balance, held: 0, freeSuiteRunAvailable: false });
      const [stored] = await listItemsInParts(ctx, run.id, ({ status, exhausted }) => ({
        status,
        exhausted,
      }));
      expect(stored).toMatchObject({ status: 'ungraded', exhausted: 'work' });
    }
    expect(await drifts()).toEqual([]);
  });

  test('such a run of another agent is refunded', async () => {
    for (const _ of ['free', 'free again']) {
      const { run } = await play(bob, 'heavy');
      expect(run).toMatchObject({ status: 'failed', failureCode: 'ungraded', chargeState: 'refunded' });
      expect(run.failureMessage).toEndWith('The run was refunded.');
      expect(await balanceOf(bob)).toMatchObject({ balance: 9, held: 0, freeSuiteRunAvailable: true });
    }
    expect(await drifts()).toEqual([]);
  });

  test('the owner is told of runs of others, once a day for each suite', async () => {
    const told = async () => {
      const { notifications } = await listNotifications(actingAs(ctx, ada), {
        limit: 50,
        cursor: null,
        kind: 'suite.exhausted',
      });
      return notifications.map(({ data }) => data);
    };
    const notice = { suite: `@${ada.handle}/heavy`, version: '1', ungraded: 1, replies: 1 };
    // The two runs before.
    expect(await told()).toEqual([notice]);
    await play(bob, 'a-tenth');
    const other = { ...notice, suite: `@${ada.handle}/a-tenth`, replies: 10 };
    expect((await told()).toSorted((a, b) => Number(a['replies']) - Number(b['replies']))).toEqual([
      notice,
      other,
    ]);
    clock.advance(24 * 60 * 60 * 1_000 + 1);
    await play(bob, 'heavy');
    expect(await told()).toHaveLength(3);
  });

  test('nobody repeats such a run for free without end, not even as another agent than the owner', async () => {
    const eve = await createTestAgent(ctx, { tokens: 9 });
    const limited = {
      ...ctx,
      rules: { ...ctx.rules, runLimits: { ...ctx.rules.runLimits, failedCallsPerDay: 2 } },
    };
    for (const _ of ['first', 'second']) expect((await play(eve, 'heavy')).run.chargeState).toBe('refunded');
    const third = orderSuiteRun(actingAs(limited, eve), `@${ada.handle}/heavy`);
    await expect(third).rejects.toMatchObject({
      code: 'too_many_failed_runs',
      message: expect.stringContaining('2 calls within 24 hours'),
    });
  });

  test('a tenth of such replies ends no run', async () => {
    const { run } = await play(ada, 'a-tenth');
    expect(run).toMatchObject({ status: 'completed', chargeState: 'consumed', score: 100 });
  });
});
