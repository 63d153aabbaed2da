/** Limits on the runs of one agent count what costs the hub work, and refusals say when they end. */
import { beforeEach, expect, test } from 'bun:test';
import type { RunFailureCode } from '#db/schema/run-tables.ts';
import type { DomainError } from '#domain/errors.ts';
import type { RunLimits } from '#domain/hub-rules.ts';
import { claimRun } from '#domain/runs/hold-run.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { overdueGraceMs, runDeadlineMs } from '#domain/runs/run-limits.ts';
import { settleRun } from '#domain/runs/settle-run.ts';
import { openRow, recordItems } from '#domain/runs/store-items.ts';
import { failOverduePushRuns } from '#domain/runs/sweep-runs.ts';
import { Setbacks } from '#domain/setbacks.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx, type TestCtx, useTestCtx } from '#test/harness/ctx.ts';
import { claimTestRun, completedWith, plainRunSize, readRun, redeem } from '#test/harness/eval-runs.ts';
import { changeRows } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const target = 'https://agent.example/answer';

forEachStore((store) => {
  let ctx: TestCtx;
  let agent: TestAgent;

  beforeEach(async () => {
    ctx = createTestCtx(store.db);
    agent = await createTestAgent(ctx, { tokens: 100, freeEvalTaken: true });
  });

  function limitedTo(runLimits: RunLimits): void {
    ctx = { ...ctx, rules: { ...ctx.rules, runLimits } };
  }

  const start = async (url: string | null) => (await redeem(ctx, agent.id, url)).evalRun;

  /** @returns the refusal; null if the run started */
  const refusal = (url: string | null = target): Promise<DomainError | null> =>
    start(url).then(
      () => null,
      (error: DomainError) => error,
    );

  /** Starts a run in push mode, and fails it after some calls. */
  async function failRun(calls: number, code: RunFailureCode = 'target_unreachable'): Promise<void> {
    const { id: runId } = await start(target);
    const { attempt } = await claimTestRun(ctx, runId);
    await changeRows(ctx, 'runs', { id: runId }, { progressDone: calls });
    await fail(runId, attempt, code);
  }
  const fail = (runId: string, attempt: number, code: RunFailureCode, from?: 'queued') =>
    settleRun(ctx, {
      runId,
      attempt,
      outcome: { kind: 'failed', code, message: 'x' },
      jobId: null,
      ...(from && { from }),
    });

  test('the calls of failed runs are limited, and the refusal says when a run can start again', async () => {
    limitedTo({ openRuns: 0, failedCallsPerDay: 50 });
    await failRun(30);
    ctx.clock.advance(minuteMs);
    await failRun(25);
    const firstEnds = new Date(ctx.clock.now().getTime() - minuteMs + dayMs);
    const refused = await refusal();
    expect(refused?.code).toBe('too_many_failed_runs');
    for (const part of ['55 calls', 'The limit is 50.', firstEnds.toISOString().slice(0, 19)])
      expect(refused?.message).toContain(part);
    const waitSeconds = refused?.extras.retryAfterSeconds ?? 0;
    expect(waitSeconds).toBe((dayMs - minuteMs) / 1_000);
    ctx.clock.advance(waitSeconds * 1_000 - 1);
    expect((await refusal())?.code).toBe('too_many_failed_runs');
    ctx.clock.advance(1);
    expect(await refusal()).toBeNull();
  });

  test('every step of a conversation counts, with its retries, though the conversation never ends', async () => {
    limitedTo({ openRuns: 0, failedCallsPerDay: 12 });
    const { id: runId } = await start(target);
    const { attempt } = await claimTestRun(ctx, runId);
    const said = { index: 0, steps: [], latencyMs: 1, attempts: 3, usage: null, contextId: null };
    const step = { runId, attempt, progress: { open: openRow(runId, said) }, delayedMs: 0, calls: 3 };
    for (let steps = 0; steps < 4; steps += 1) await recordItems(ctx, [step]);
    await fail(runId, attempt, 'target_timeout');
    expect((await refusal())?.message).toContain('12 calls');
  });

  test('runs that the hub or the agent ended, and those without calls of the hub, are no failures', async () => {
    limitedTo({ openRuns: 0, failedCallsPerDay: 1 });
    for (const code of ['cancelled', 'agent_suspended'] as const) await failRun(40, code);
    const { id: runId, attempt } = await start(null);
    await fail(runId, attempt, 'deadline_exceeded', 'queued');
    expect(await refusal()).toBeNull();
    await failRun(0);
    expect((await refusal())?.code).toBe('too_many_failed_runs');
  });

  test('open runs are limited, and the refusal says when a place is free at the latest', async () => {
    limitedTo({ openRuns: 2, failedCallsPerDay: 0 });
    const run = await start(target);
    await claimRun(ctx, { runId: run.id });
    const endsAt = new Date(ctx.clock.now().getTime() + runDeadlineMs(ctx.rules, run));
    ctx.clock.advance(minuteMs);
    await start(target);
    const refused = await refusal();
    expect(refused?.code).toBe('too_many_open_jobs');
    expect(refused?.message).toContain('2 open runs');
    expect(refused?.message).toContain(endsAt.toISOString().slice(0, 19));
    expect(refused?.extras.retryAfterSeconds).toBe(5);
  });

  test('a run whose agent fetches its cases keeps its place only while the agent is at work', async () => {
    limitedTo({ openRuns: 1, failedCallsPerDay: 0 });
    const { id: runId } = await start(null);
    expect((await refusal())?.code).toBe('too_many_open_jobs');
    ctx.clock.advance(2 * minuteMs + 1);
    // The agent has fetched nothing.
    expect(await refusal(null)).toBeNull();
    const as = actingAs(ctx, agent);
    ctx.clock.advance(2 * minuteMs + 1);
    const [fetched] = (await handOutCases(as, { runId, limit: 1 })).cases;
    expect((await refusal())?.code).toBe('too_many_open_jobs');
    ctx.clock.advance(fetched!.expiresAt.getTime() - ctx.clock.now().getTime());
    expect(await refusal()).toBeNull();
  });

  test('a hub without the limits starts any number of runs', async () => {
    limitedTo({ openRuns: 0, failedCallsPerDay: 0 });
    for (let run = 0; run < 12; run += 1) await start(target);
    for (let run = 0; run < 3; run += 1) await failRun(4_000);
    expect(await refusal()).toBeNull();
  });
});

/** Runs that nobody is left to end are ended by the sweeper, once, and refunded. */
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
