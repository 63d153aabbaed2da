/** Runs that nobody is left to end are ended by the sweeper, once, and refunded. */
import { expect, test } from 'bun:test';
import { overdueGraceMs, runDeadlineMs } from '#domain/runs/run-limits.ts';
import { failOverduePushRuns } from '#domain/runs/sweep-runs.ts';
import { settleRun } from '#domain/runs/settle-run.ts';
import { Setbacks } from '#domain/setbacks.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { plainRunSize, readRun, redeem, completedWith, claimTestRun } from '#test/harness/eval-runs.ts';
import { changeRows } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const paidRun = { runSize: plainRunSize, chargeFree: false, limitSeconds: null };
  const paidDeadlineMs = runDeadlineMs(ctx.rules, paidRun);

  async function startRun(): Promise<string> {
    const agent = await createTestAgent(ctx, { tokens: 1, freeEvalTaken: true });
    const { evalRun } = await redeem(ctx, agent.id, 'http://127.0.0.1:9/');
    await claimTestRun(ctx, evalRun.id);
    return evalRun.id;
  }

  test('a run is ended after its deadline and the grace, not before, and refunded once by racing sweepers', async () => {
    const overdue = await startRun();
    ctx.clock.advance(paidDeadlineMs + overdueGraceMs);
    expect(await failOverduePushRuns(ctx)).toBe(0);
    ctx.clock.advance(1);
    const fresh = await startRun();
    const ended = await Promise.all([1, 2, 3].map(() => failOverduePushRuns(ctx)));
    expect(ended.toSorted((a, b) => a - b)).toEqual([0, 0, 1]);
    const run = await readRun(ctx, overdue);
    const refunded = { status: 'failed', failureCode: 'deadline_exceeded', chargeState: 'refunded' };
    expect(run.job).toMatchObject(refunded);
    expect(run.account.balance).toBe(1);
    expect(run.entries.map((entry) => entry.kind).toSorted()).toEqual(['refund', 'spend']);
    expect((await readRun(ctx, fresh)).job.status).toBe('running');
    // The runner that comes back settles nothing.
    const late = { runId: overdue, attempt: 1, jobId: null, outcome: completedWith(100) };
    expect(await settleRun(ctx, late)).toBe(false);
    expect(await readRun(ctx, overdue)).toEqual(run);
  });

  test('a run that cannot be ended keeps no other one open, and is tried again after a minute', async () => {
    const broken = await startRun();
    ctx.clock.advance(1_000);
    const whole = await startRun();
    const setProduct = (product: 'eval-run') => changeRows(ctx, 'runs', { id: broken }, { product });
    await setProduct('gone-run' as never);
    ctx.clock.advance(paidDeadlineMs + overdueGraceMs + 1);
    const setbacks = new Setbacks(ctx.clock);
    await expect(failOverduePushRuns(ctx, setbacks)).rejects.toThrow(
      `These runs could not be ended: ${broken}.`,
    );
    expect((await readRun(ctx, whole)).job.status).toBe('failed');
    await setProduct('eval-run');
    ctx.clock.advance(59_999);
    expect(await failOverduePushRuns(ctx, setbacks)).toBe(0);
    ctx.clock.advance(1);
    expect(await failOverduePushRuns(ctx, setbacks)).toBe(1);
    expect((await readRun(ctx, broken)).job.chargeState).toBe('refunded');
  });
});
