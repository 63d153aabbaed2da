/** Agent runs of 24 tasks, of repeated weeks and of weeks that are worked on again. */
import { beforeAll, expect, test } from 'bun:test';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { compareRuns } from '#domain/runs/compare-runs.ts';
import { redeem } from '#domain/runs/redeem.ts';
import type { RedemptionInput, SamplingInput } from '#domain/runs/redemption-input.ts';
import { showAgentRun } from '#domain/runs/products/agent-run/show-agent-run.ts';
import type { AgentCtx } from '#domain/context.ts';
import { giveUp, playNextTask, readAgentRun, taskCount } from '#test/harness/agent-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf } from '../../../outcomes.ts';

forEachStore((store) => {
  let ctx: TestCtx;
  beforeAll(() => void (ctx = createTestCtx(store.db)));

  const newAgent = async (tokens: number) => actingAs(ctx, await createTestAgent(ctx, { tokens }));

  async function order(
    as: AgentCtx,
    sampling: Partial<SamplingInput> = {},
    changes: Partial<RedemptionInput> = {},
  ) {
    const plain = { repeat: 1, seed: null, replayOf: null };
    const input = { product: 'agent-run', targetUrl: null, target: null, secretKey: testSecretKey } as const;
    const defaults = { runSize: 40, maxPromptTokens: 32_000, ranked: false } as const;
    return (await redeem(as, { ...input, ...defaults, sampling: { ...plain, ...sampling }, ...changes })).run;
  }

  test('24 tasks cost twice as much as 12 and are never free', async () => {
    const as = await newAgent(3);
    expect(await order(as, {}, { tasks: 24 })).toMatchObject({ progressTotal: 24, chargeTokens: 2 });
    expect(await order(as, {}, { tasks: 12 })).toMatchObject({ progressTotal: 12, chargeFree: true });
    expect(await codeOf(order(as, {}, { tasks: 24 }))).toBe('insufficient_tokens');
  });

  test('a repeated week asks the same tasks at the levels of the first one', async () => {
    const as = await newAgent(2);
    const run = await order(as, { repeat: 2 });
    expect(run).toMatchObject({ progressTotal: 2 * taskCount, chargeTokens: 2, repeat: 2 });
    for (let n = 1; n <= 2 * taskCount; n += 1) {
      // Two tasks of the first week, and one of them again.
      await playNextTask(as, run, n <= 2 || n === taskCount + 1 ? undefined : [giveUp]);
    }
    const { tasks } = await readAgentRun(ctx, run.id);
    const [first, second] = [tasks.slice(0, taskCount), tasks.slice(taskCount)];
    expect(second.map(({ task }) => task.level)).toEqual(first.map(({ task }) => task.level));
    // Later tasks depend on what was done in the earlier ones of the week.
    expect(second[0]?.task).toEqual(first[0]!.task);
    const { run: ended, card } = await showAgentRun(as, { runId: run.id });
    expect(ended.estimate?.repeats).toEqual({ pass_k: 1 / taskCount, flaky: [1] });
    expect(card?.passed).toEqual({ n: 3, of: 2 * taskCount });
    expect(card?.tasks.map(({ trial }) => trial)).toEqual(
      Array.from({ length: 2 * taskCount }, (_, index) => (index < taskCount ? 1 : 2)),
    );
  });

  test('a replay works on the same week at the same levels, and is compared task by task', async () => {
    const as = await newAgent(5);
    const run = await order(as);
    await playNextTask(as, run);
    for (let n = 2; n <= taskCount; n += 1) await playNextTask(as, run, [giveUp]);
    const again = await order(as, { replayOf: run.id });
    expect(again).toMatchObject({ progressTotal: taskCount, chargeFree: false, suiteSeed: run.suiteSeed });
    for (let n = 1; n <= taskCount; n += 1) await playNextTask(as, again, [giveUp]);
    const [before, after] = [await readAgentRun(ctx, run.id), await readAgentRun(ctx, again.id)];
    expect(after.tasks.map(({ task }) => task.level)).toEqual(before.tasks.map(({ task }) => task.level));
    expect(after.tasks[0]?.task).toEqual(before.tasks[0]!.task);
    const compared = await compareRuns(as, { runId: run.id, otherRunId: again.id });
    expect(compared).toMatchObject({
      broken: ['task-1'],
      reach: { sample: 'same cases', compared: taskCount },
    });
    const failed = await order(as);
    await cancelRun(as, { runId: failed.id });
    expect(await codeOf(order(as, { replayOf: failed.id }))).toBe('run_not_replayable');
    expect(await codeOf(order(as, { replayOf: run.id }, { tasks: 12 }))).toBe('invalid_body');
  });
});
