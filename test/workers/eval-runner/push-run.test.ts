/** Eval runs from claim to settlement, against real targets, on both stores. */
import { expect, test } from 'bun:test';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { claimRun, releaseRun } from '#domain/runs/hold-run.ts';
import type { TargetInput } from '#domain/runs/redemption-input.ts';
import { runAttemptsMax, runDeadlineMs, runLeaseMs } from '#domain/runs/run-limits.ts';
import { openRow } from '#domain/runs/store-items.ts';
import { Snooze } from '#runtime/jobs/job-worker.ts';
import { createCaseRecorder } from '#workers/eval-runner/start-eval-runner.ts';
import { openAnswerBook } from '#test/harness/answer-book.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import {
  carryOut,
  claimTestRun,
  createTestRunner,
  plainRunSize,
  readRun,
  redeemPaid,
  runToEnd,
  useEvalRunner,
} from '#test/harness/eval-runs.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startOracle, startTarget, targetAt } from '#test/harness/target.ts';

const redis = useTestRedis();

forEachStore((store) => {
  const { ctx, runner } = useEvalRunner(store, redis);
  const { clock } = ctx;

  /** Publishes a suite of a new agent, and orders a run of it. */
  async function orderSuite(target: TargetInput, document: object, order: object = {}): Promise<string> {
    const as = actingAs(ctx, await createTestAgent(ctx));
    await publishTestSuite(as, { suite: 1, name: 'own', ...document });
    return (await orderSuiteRun(as, `@${as.agent.handle}/own`, { target, ...order })).id;
  }

  function expectRefunded(run: Awaited<ReturnType<typeof readRun>>, code: string): void {
    expect(run).toMatchObject({
      job: { status: 'failed', failureCode: code, chargeState: 'refunded', score: null },
      scorecard: null,
      account: { balance: 2 },
      row: { closedAt: expect.any(Date) },
    });
    expect(run.entries.map((entry) => entry.kind).toSorted()).toEqual(['refund', 'spend']);
  }

  test('a target that knows every answer completes with 100 points, is charged once and closes the job', async () => {
    const seeds: string[] = [];
    await using target = startOracle(() => seeds);
    const { evalRun, runId } = await redeemPaid(ctx, target.url);
    seeds.push(evalRun.suiteSeed);
    const run = await runToEnd(runner, runId);
    expect(run.job).toMatchObject({
      status: 'completed',
      score: 100,
      chargeState: 'consumed',
      progressDone: plainRunSize,
    });
    expect(run.account.balance).toBe(1);
    expect(run.entries.map((entry) => entry.kind)).toEqual(['spend']);
    expect(run.scorecard?.scoreJson).toMatchObject({ findings: [], pass_rate: { value: 1 }, errors: 0 });
    expect(run.row.closedAt).not.toBeNull();
    expect(run.cases.map((landed) => landed.position).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: plainRunSize }, (_, index) => index + 1),
    );
    expect(new Set(target.calls.map((call) => call.idempotencyKey)).size).toBe(target.calls.length);
    // Turns are not retries.
    expect(target.calls.length).toBeGreaterThan(plainRunSize);
    expect(run.job.calls).toBe(target.calls.length);
    expect(new Set(run.cases.map((landed) => landed.result.attempts))).toEqual(new Set([1]));
  });

  test('a run whose deadline has passed is refunded once', async () => {
    await using target = startTarget(() => 'x');
    const { evalRun, runId } = await redeemPaid(ctx, target.url);
    await claimRun(ctx, { runId });
    clock.advance(runDeadlineMs(ctx.rules, evalRun) + 1);
    expectRefunded(await runToEnd(runner, runId), 'deadline_exceeded');
  });

  test('the first three cases are asked one at a time, then as many as the caller allows', async () => {
    const [aloneFirst, concurrency] = [3, 7];
    let [open, most] = [0, 0];
    const seen: number[] = [];
    await using target = startTarget(async () => {
      open += 1;
      most = Math.max(most, open);
      seen.push(open);
      // Time for the other calls to arrive on a busy machine.
      const mayBeMore = (): boolean => seen.length > aloneFirst && most < concurrency;
      for (let look = 0; look < 400 && mayBeMore(); look += 1) await Bun.sleep(5);
      open -= 1;
      return 'x';
    });
    const cases = Array.from({ length: 12 }, () => ({ prompt: 'Say x.', expect: [{ equals: 'x' }] }));
    const runId = await orderSuite(targetAt(target.url, { concurrency }), { cases });
    await carryOut(runner, runId);
    expect(seen.slice(0, aloneFirst)).toEqual([1, 1, 1]);
    expect(most).toBe(concurrency);
  });

  test('a target that fails after replies that wait for judges is named as the reason, and no verdict is', async () => {
    const [answered, failing] = [11, 4];
    await using target = startTarget(({ prompt }) =>
      Number(/^Say (\d+)/.exec(prompt)?.[1] ?? 0) < answered ? 'hello' : new Response('no', { status: 404 }),
    );
    const cases = Array.from({ length: answered + failing }, (_, at) => ({
      prompt: `Say ${at}.`,
      expect: [{ judge: 'tone' }],
    }));
    const runId = await orderSuite(targetAt(target.url), { judges: { tone: { rubric: 'Polite.' } }, cases });
    await carryOut(runner, runId);
    expect((await readRun(ctx, runId)).job).toMatchObject({
      status: 'failed',
      failureCode: 'target_bad_status',
      failureMessage: expect.stringContaining('(4 × target_bad_status; 15 of 15 cases run)'),
    });
  });

  test('a run that was attempted 24 times without an end is given up as the fault of the hub and refunded', async () => {
    await using target = startTarget(() => 'x');
    const { runId } = await redeemPaid(ctx, target.url);
    for (let attempt = 1; attempt <= runAttemptsMax; attempt += 1) {
      expect(await claimRun(ctx, { runId })).toMatchObject({ state: 'claimed' });
      clock.advance(runLeaseMs);
    }
    expectRefunded(await runToEnd(runner, runId), 'internal');
    expect(target.calls).toEqual([]);
  });

  test('a run that processes handed back as they ended, however often, is still carried out', async () => {
    await using target = startTarget(() => 'x');
    const { runId } = await redeemPaid(ctx, target.url);
    for (let attempt = 1; attempt <= runAttemptsMax + 1; attempt += 1) {
      expect(await claimRun(ctx, { runId })).toMatchObject({ state: 'claimed' });
      await releaseRun(ctx, { runId, attempt });
    }
    const { job } = await runToEnd(runner, runId);
    expect([job.status, job.chargeState]).toEqual(['completed', 'consumed']);
  });

  test('a run with no more than a fifth of its cases in error completes, and those cases score 0', async () => {
    const allowed = Math.floor(plainRunSize / 5);
    const failing = new Set<string>();
    await using target = startTarget(({ prompt, prompts }) => {
      // Not the very first call, fewer than half of the first stage, and only whole cases.
      const late = target.calls.length > 20 && prompts.length === 1;
      if (late && failing.size < allowed) failing.add(prompt);
      return failing.has(prompt) ? new Response('no', { status: 404 }) : 'an answer';
    });
    const { runId } = await redeemPaid(ctx, target.url);
    const run = await runToEnd(runner, runId);
    expect(run.job).toMatchObject({ status: 'completed', chargeState: 'consumed' });
    const inError = run.cases.filter((landed) => landed.result.status === 'error');
    expect(inError.map(({ result }) => [result.score, result.error_code])).toEqual(
      Array.from({ length: allowed }, () => [0, 'target_bad_status']),
    );
  });

  test('the message of a failed run counts trials as trials', async () => {
    await using target = startTarget(() => new Response('no', { status: 404 }));
    const cases = Array.from({ length: 4 }, () => ({ prompt: 'Say x.', expect: [{ equals: 'x' }] }));
    for (const [trials, counted] of [
      [1, '1 of 4 cases run'],
      [2, '1 of 8 trials run'],
    ] as const) {
      const runId = await orderSuite(targetAt(target.url), { cases }, { trials });
      const { job } = await runToEnd(runner, runId);
      expect(job.failureMessage).toContain(counted);
    }
  });

  test('a run that broke off goes on with the cases that are left, under the same idempotency keys', async () => {
    const ending = new AbortController();
    const seeds: string[] = [];
    await using target = startTarget(({ prompts }) => {
      if (target.calls.length >= 5) ending.abort();
      return book.find(prompts)?.best ?? '';
    });
    const book = openAnswerBook(() => seeds);
    using breaking = createTestRunner(ctx, redis.url, { ending: ending.signal });
    const { evalRun, runId } = await redeemPaid(ctx, target.url);
    seeds.push(evalRun.suiteSeed);
    await expect(carryOut(breaking, runId)).rejects.toBeInstanceOf(Snooze);
    const between = await readRun(ctx, runId);
    expect(between.job.status).toBe('running');
    expect(between.cases.length).toBeWithin(1, plainRunSize);
    const after = await runToEnd(runner, runId);
    expect(after.job).toMatchObject({ status: 'completed', score: 100 });
    expect(new Set(target.calls.map((call) => call.idempotencyKey)).size).toBe(target.calls.length);
  });

  test('a job that another runner holds is delivered again later and is not run twice', async () => {
    await using target = startTarget(() => 'x');
    const { runId } = await redeemPaid(ctx, target.url);
    await claimRun(ctx, { runId });
    await expect(carryOut(runner, runId)).rejects.toBeInstanceOf(Snooze);
    expect(target.calls).toEqual([]);
  });

  test('a runner that lost its claim while it was away settles nothing', async () => {
    const steal = async (): Promise<void> => {
      clock.advance(60_000);
      expect(await claimRun(ctx, { runId })).toMatchObject({ state: 'claimed' });
    };
    let stolen: Promise<void> | undefined;
    await using target = startTarget(async () => {
      // No reply is stored before, because that would renew the claim.
      await (stolen ??= steal());
      return 'x';
    });
    const { runId } = await redeemPaid(ctx, target.url);
    const run = await runToEnd(runner, runId);
    expect(run.job).toMatchObject({ status: 'running', attempt: 2, progressDone: 0 });
    expect(run.cases).toEqual([]);
    expect(run.row.closedAt).toBeNull();
  });

  test('a runner whose run is cancelled aborts its calls, settles nothing, and closes the job the next time', async () => {
    const never = Promise.withResolvers<string>();
    await using target = startTarget(() => never.promise);
    const { agent, runId } = await redeemPaid(ctx, target.url);
    const running = carryOut(runner, runId);
    await waitUntil(async () => target.calls.length > 0);
    await cancelRun(actingAs(ctx, agent), { runId });
    // It learns of it with the next renewal of its lease.
    await running;
    expect(target.calls).toHaveLength(1);
    const run = await runToEnd(runner, runId);
    expect(run.job).toMatchObject({ status: 'failed', cancelled: true, progressDone: 0 });
    expect([run.account.balance, run.job.chargeState]).toEqual([2, 'refunded']);
    expect(run.row.closedAt).not.toBeNull();
    never.resolve('late');
  });

  test('a step that cannot be stored fails no other run that stores its steps with it', async () => {
    const claims = [];
    for (let run = 0; run < 3; run += 1)
      claims.push(await claimTestRun(ctx, (await redeemPaid(ctx, 'https://agent.example/answer')).runId));
    const recorder = createCaseRecorder(ctx);
    const stored = await Promise.allSettled(
      claims.map(({ id: runId, attempt }, at) => {
        const index = at === 1 ? (null as never) : 0;
        const said = { index, steps: [], latencyMs: 1, attempts: 1, usage: null, contextId: null };
        const progress = { open: openRow(runId, said) };
        return recorder.ask({ runId, attempt, progress, delayedMs: 0, calls: 1 });
      }),
    );
    expect(stored.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});
