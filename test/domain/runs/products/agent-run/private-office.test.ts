/** Agent runs in the office of a private pack, on both stores. */
import { expect, test } from 'bun:test';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { compareRuns } from '#domain/runs/compare-runs.ts';
import { makeAgentCall, takeNextTask } from '#domain/runs/products/agent-run/pull-tasks.ts';
import { redeem } from '#domain/runs/redeem.ts';
import type { AgentCtx } from '#domain/context.ts';
import { drawOfficePack, officeOf, policyCategoryOf } from '#evals/suite/packs/office/office-pack.ts';
import { type EvalPacks, noPacks, type Pack } from '#evals/suite/packs/pack.ts';
import { showSampling } from '#api/schemas/run-values.ts';
import {
  callOf,
  giveUp,
  look,
  playNextTask,
  readAgentRun,
  startAgentRun,
  taskCount,
} from '#test/harness/agent-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf } from '../../../outcomes.ts';

const data = drawOfficePack('a secret of this test');
const pack: Pack = {
  name: 'private-1',
  hash: '0123456789abcdef',
  retired: false,
  categories: [policyCategoryOf(data)],
  office: officeOf(data),
  norms: null,
};
const installed: EvalPacks = { installed: pack, retired: [] };
const retired: EvalPacks = { installed: null, retired: [{ ...pack, retired: true }] };
const withPacks = <C extends AgentCtx>(ctx: C, evalPacks: EvalPacks): C => ({
  ...ctx,
  rules: { ...ctx.rules, evalPacks },
});

forEachStore((store) => {
  async function newAgent(tokens = 5) {
    const ctx = createTestCtx(store.db);
    const agent = await createTestAgent(ctx, { tokens });
    return { ctx, as: withPacks(actingAs(ctx, agent), installed) };
  }

  const redeemAgain = async (as: AgentCtx, replayOf: string) => {
    const input = { product: 'agent-run', targetUrl: null, target: null, secretKey: testSecretKey } as const;
    const sampling = { codeTool: null, repeat: 1, seed: null, replayOf };
    return (await redeem(as, { ...input, runSize: 40, maxPromptTokens: 32_000, ranked: false, sampling }))
      .run;
  };

  test('a run names the pack, its tasks are of its office, and it is compared with runs of its pack only', async () => {
    const { ctx, as } = await newAgent();
    const run = await startAgentRun(as);
    expect(run.suitePack).toEqual({ name: 'private-1', hash: pack.hash });
    expect(showSampling(run).public_kinds_only).toBe(false);
    await playNextTask(as, run);
    // A process that started after the pack was retired goes on with it.
    const later = withPacks(as, retired);
    for (let n = 2; n <= taskCount; n += 1) await playNextTask(later, run, n === 2 ? undefined : [giveUp]);
    const { tasks, run: ended } = await readAgentRun(ctx, run.id);
    expect(tasks.slice(0, 2).map(({ verdict }) => verdict?.passed)).toEqual([true, true]);
    expect(ended).toMatchObject({ status: 'completed', suitePack: { hash: pack.hash } });

    const open = await startAgentRun(withPacks(as, noPacks));
    expect(open.suitePack).toBeNull();
    expect(showSampling(open).public_kinds_only).toBe(true);
    for (let n = 1; n <= taskCount; n += 1) await playNextTask(withPacks(as, noPacks), open, [giveUp]);
    const compared = compareRuns(as, { product: 'agent-run', runId: run.id, otherRunId: open.id });
    expect(await codeOf(compared)).toBe('pack_mismatch');

    const again = await redeemAgain(later, run.id);
    expect(again.suitePack).toEqual({ name: 'private-1', hash: pack.hash });
    const { task } = await takeNextTask(later, { runId: again.id });
    expect(task?.task).toEqual(tasks[0]!.task);
    expect(await codeOf(redeemAgain(withPacks(as, noPacks), run.id))).toBe('suite_version_mismatch');
  });

  test('a run whose pack is gone takes no call, and is refunded when its next task is fetched', async () => {
    const { ctx, as } = await newAgent();
    await startAgentRun(as);
    const run = await startAgentRun(as);
    await takeNextTask(as, { runId: run.id });
    await makeAgentCall(as, callOf(run, 1, 'first', look));
    const without = withPacks(as, noPacks);
    expect(await codeOf(makeAgentCall(without, callOf(run, 1, 'second', look)))).toBe('task_ended');
    expect(await takeNextTask(without, { runId: run.id })).toEqual({ task: null, remaining: 0 });
    expect((await readAgentRun(ctx, run.id)).run).toMatchObject({
      status: 'failed',
      failureCode: 'internal',
      chargeState: 'refunded',
    });
    const other = await startAgentRun(as);
    await takeNextTask(as, { runId: other.id });
    expect(await cancelRun(without, { runId: other.id })).toMatchObject({
      status: 'failed',
      chargeState: 'refunded',
    });
  });
});
