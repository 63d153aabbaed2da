/** Agent runs in push mode, against real targets, on both stores. */
import { withTransaction } from '#domain/context.ts';
import { exportRun } from '#domain/runs/export-run.ts';
import { endOpenTask } from '#domain/runs/products/agent-run/open-task.ts';
import { agentScorecard } from '#domain/runs/products/agent-run/read-card.ts';
import { rebuildOffice } from '#domain/runs/products/agent-run/weeks.ts';
import { exportInspect } from '#evals/export/inspect.ts';
import { exportJunit } from '#evals/export/junit.ts';
import { summarize } from '#evals/report/summary.ts';
import { verdictOf } from '#evals/week/office-world.ts';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { Ctx } from '#domain/context.ts';
import { claimRun, noteReply } from '#domain/runs/hold-run.ts';
import { makeAgentCall, takeNextTask } from '#domain/runs/products/agent-run/pull-tasks.ts';
import { endPushedTask, openPushedTask } from '#domain/runs/products/agent-run/push-tasks.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { runAttemptsMax, runLeaseMs, unexplainedAttemptsMax } from '#domain/runs/run-limits.ts';
import { weekTools } from '#evals/week/tools/tools.ts';
import { listLeaderboard } from '#domain/leaderboard/list-leaderboard.ts';
import type { TargetInput } from '#domain/runs/redemption-input.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { Snooze } from '#runtime/jobs/job-worker.ts';
import { pushRun } from '#workers/eval-runner/push-run.ts';
import { giveUp, look, planFor, readAgentRun, startPushedRun, taskCount } from '#test/harness/agent-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestClock, type TestClock } from '#test/harness/clock.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { createTestRunner, type TestRunner } from '#test/harness/eval-runs.ts';
import { startTestRedis, type TestRedis } from '#test/harness/redis.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { startToolTarget, textReply, toolCallsReply } from '#test/harness/tool-target.ts';

let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

/** A runner claims the run and is gone. */
async function dieWith(ctx: Ctx, clock: TestClock, runId: string): Promise<void> {
  await claimRun(ctx, { runId });
  clock.advance(runLeaseMs + 1);
}

forEachStore((store) => {
  let clock: TestClock;
  let ctx: Ctx;
  let runner: TestRunner;
  beforeAll(() => {
    clock = createTestClock();
    const plain = createTestCtx(store.db, clock);
    ctx = { ...plain, rules: { ...plain.rules, targetAddresses: createAddressPolicy(['loopback']) } };
    runner = createTestRunner(ctx, redis.url);
  });
  afterAll(() => runner.close());

  async function redeemAt(url: string, changes: Partial<TargetInput> = {}, ranked = false) {
    const agent = await createTestAgent(ctx, { tokens: 2, freeAgentRunTaken: true });
    const as = actingAs(ctx, agent);
    return { as, ...(await startPushedRun(as, url, changes, ranked)) };
  }

  async function readJob(jobId: string) {
    const { jobs } = ctx.db.tables;
    const [row] = await ctx.db.query.select().from(jobs).where(eq(jobs.id, jobId));
    return row!;
  }

  /** Redeems a run, runs it to the end and reads the result. */
  async function runAgainst(url: string, ranked = false) {
    const { run, job } = await redeemAt(url, {}, ranked);
    await pushRun(runner, job);
    expect((await readJob(job.jobId)).closedAt).not.toBeNull();
    return readAgentRun(ctx, run.id);
  }

  test('a run whose target makes the calls of a perfect agent passes its tasks and is charged once', async () => {
    const runs: RunRow[] = [];
    const target = startToolTarget({ ctx, runs }, ({ left, messages }) => {
      const isSolved = /^Task [12] /.test(messages[1]?.content ?? '');
      return toolCallsReply(isSolved ? left.slice(0, 2) : [giveUp], 'Two at once');
    });
    const headers = { authorization: 'Bearer secret' };
    const { as, run, job } = await redeemAt(target.url, { headers });
    expect(run).toMatchObject({ mode: 'push', target: { header_names: ['authorization'], concurrency: 1 } });
    expect(run.targetHeaders).not.toContain('secret');
    await expect(takeNextTask(as, { runId: run.id })).rejects.toMatchObject({ code: 'not_pull_mode' });
    const made = { runId: run.id, n: 1, callId: 'a', ...look };
    await expect(makeAgentCall(as, made)).rejects.toMatchObject({ code: 'not_pull_mode' });
    runs.push(run);
    await pushRun(runner, job);
    const kept = await readAgentRun(ctx, run.id);
    expect(kept.run).toMatchObject({ status: 'completed', targetHeaders: null, dueAt: null });
    expect([kept.account?.balance, kept.entries.map(({ kind }) => kind)]).toEqual([1, ['spend']]);
    expect(kept.tasks.map(({ verdict }) => verdict?.passed)).toEqual(
      Array.from({ length: taskCount }, (_, index) => index < 2),
    );
    expect((await readJob(job.jobId)).closedAt).not.toBeNull();
    const [first, second] = target.calls;
    expect(first!.headers.get('authorization')).toBe('Bearer secret');
    const { messages, tools, model } = second!.body as {
      messages: { role: string }[];
      tools: [];
      model: string;
    };
    expect(model).toBe('m-1');
    expect(tools).toHaveLength(weekTools.length);
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool']);
    expect(messages[2]).toMatchObject({
      content: 'Two at once',
      tool_calls: [{ id: 'call_0', type: 'function' }, { id: 'call_1' }],
    });
    expect(messages[4]).toMatchObject({ tool_call_id: 'call_1' });
    expect(new Set(target.calls.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(target.calls.length);
    await target.stop();
  });

  test('a reply without calls gets one reminder, and the second one ends the task', async () => {
    const target = startToolTarget(null, ({ messages, call }) =>
      call === 1 ? toolCallsReply([look]) : textReply(`I am done after ${messages.length} messages.`),
    );
    const { run, tasks, calls } = await runAgainst(target.url);
    expect(run).toMatchObject({ status: 'completed', score: 0, chargeState: 'consumed' });
    expect(tasks.map(({ remindedAfter }) => remindedAfter)).toEqual([
      1,
      ...Array.from({ length: taskCount - 1 }, () => 0),
    ]);
    expect(calls).toHaveLength(1);
    // The first task takes three requests: the call, the text and the text after the reminder.
    expect(target.calls).toHaveLength(2 * taskCount + 1);
    const { messages } = target.calls[2]!.body as { messages: { role: string; content: string }[] };
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
    expect(messages.at(-1)!.content).toContain('task_finish');
    await target.stop();
  });

  test('invalid calls produce results and count, whatever the arguments are', async () => {
    const wrong = [
      'no json',
      '[1]',
      '{"a":"\\u0000"}',
      '{"a":"\\ud800"}',
      `${'['.repeat(500)}${']'.repeat(500)}`,
    ];
    const target = startToolTarget(null, ({ call }) =>
      toolCallsReply([
        ...(call === 1 ? [{ tool: 'no_such_tool', args: {} }] : []),
        ...(call === 1 ? wrong.map((args) => ({ tool: 'notes_read', args })) : []),
        giveUp,
        look,
      ]),
    );
    const { run, tasks, calls } = await runAgainst(target.url);
    expect([run.status, tasks[0]!.calls, tasks[0]!.verdict?.finished]).toEqual(['completed', 7, true]);
    const errors = calls.filter(({ n }) => n === 1).map(({ result }) => result['error']);
    expect(errors.slice(0, 6)).toEqual(['unknown_tool', ...wrong.map(() => 'invalid_arguments')]);
    // The call after `task_finish` was not made.
    expect(errors).toHaveLength(7);
    await target.stop();
  });

  test('if the first reply cannot be used, the run is refunded and the failure says what came back', async () => {
    const target = startToolTarget(null, () => new Response('no such model', { status: 404 }));
    const { run, account, entries, tasks } = await runAgainst(target.url);
    expect(run).toMatchObject({
      status: 'failed',
      chargeState: 'refunded',
      failureCode: 'target_bad_status',
      failureMessage:
        'The first call to the target failed: The target responded with status 404. The run was refunded.',
      failureCause: { status: 404, connection: null, excerpt: 'no such model' },
    });
    expect(run.failureCause?.expected).toContain('tool_calls');
    expect([tasks.length, target.calls.length]).toEqual([1, 1]);
    expect([account?.balance, entries.map(({ kind }) => kind).toSorted()]).toEqual([2, ['refund', 'spend']]);
    await target.stop();
  });

  test('a run whose target fails in a few tasks is charged, and in more than a fifth of them refunded', async () => {
    for (const [faults, status] of [
      [2, 'completed'],
      [3, 'failed'],
    ] as const) {
      let failed = 0;
      const target = startToolTarget(null, ({ call }) => {
        if (call === 1 || failed === faults) return toolCallsReply([giveUp]);
        failed += 1;
        return textReplyOfAnotherForm();
      });
      const { run, tasks } = await runAgainst(target.url);
      expect(run.status).toBe(status);
      const errors = tasks.map(({ verdict }) => verdict?.error).filter((code) => code !== undefined);
      expect(errors).toEqual(Array.from({ length: faults }, () => 'target_bad_response'));
      expect(run.failureMessage ?? '').toContain(status === 'failed' ? 'too many tasks (3 of 4)' : '');
      await target.stop();
    }
  });

  test('a task that its target could not end keeps what came, in every report, and has not passed', async () => {
    const target = startToolTarget(null, ({ call }) =>
      call === 2 ? new Response('Overloaded\n<b>now</b>', { status: 402 }) : toolCallsReply([giveUp]),
    );
    const { as, run, job } = await redeemAt(target.url);
    await pushRun(runner, job);
    await target.stop();
    const said = 'target bad status (status 402: Overloaded <b>now</b>)';
    const { run: ended, tasks } = await readAgentRun(ctx, run.id);
    expect(tasks[1]?.verdict).toMatchObject({
      passed: false,
      error: 'target_bad_status',
      error_response: { status: 402, excerpt: expect.stringContaining('Overloaded') },
    });
    const exported = await exportRun(as, { runId: run.id });
    const junit = (await Array.fromAsync(exportJunit(exported))).join('');
    expect(junit.match(/<testcase /g)).toHaveLength(12);
    expect(junit.match(/<error /g)).toHaveLength(1);
    expect(junit).toContain(
      'no reply: target bad status (status 402: Overloaded &#60;b&#62;now&#60;/b&#62;)',
    );
    const inspect = JSON.parse((await Array.fromAsync(exportInspect(exported))).join(''));
    expect(inspect.samples[1]).toMatchObject({ id: 'task-2', error: { message: said } });
    expect((await summarize(exported)).reasons).toEqual([{ reason: said, trials: 1, items: ['task-2'] }]);
    // Others read a shared run without it.
    const [own, shared] = [await agentScorecard(ctx, ended, true), await agentScorecard(ctx, ended, false)];
    expect(JSON.stringify(own)).toContain('Overloaded');
    expect(JSON.stringify(shared)).not.toContain('Overloaded');
  });

  test('a task that ends with a fault has not passed, even if all its work was done', async () => {
    const { run } = await redeemAt('http://127.0.0.1:1/');
    const claimed = await claimRun(ctx, { runId: run.id });
    if (claimed.state !== 'claimed') throw new Error('The run is not claimed.');
    const claim = { runId: run.id, attempt: claimed.run.attempt };
    const open = await openPushedTask(ctx, claim);
    if ('kind' in open) throw new Error('The run has ended.');
    const office = await rebuildOffice(ctx, run, 1);
    const plan = await planFor(ctx, run, 1);
    const calls = plan.map(({ tool, args }, index) => ({ id: `c${index}`, name: tool, arguments: args }));
    const { state } = office.world.next(office.state, { text: null, calls });
    expect(verdictOf(state).passed).toBe(true);
    await withTransaction(ctx, (inner) =>
      endOpenTask(inner, claimed.run, open.row, { state, fault: { code: 'target_timeout', response: null } }),
    );
    const { tasks } = await readAgentRun(ctx, run.id);
    expect(tasks[0]?.verdict).toMatchObject({ passed: false, error: 'target_timeout' });
  });

  test('a ranked run counts even if its target fails at once', async () => {
    const target = startToolTarget(null, () => new Response('no such model', { status: 404 }));
    const { run, account, tasks } = await runAgainst(target.url, true);
    expect(run).toMatchObject({ status: 'completed', chargeState: 'consumed', score: 0 });
    expect(tasks.map(({ verdict }) => verdict?.error)).toEqual(['target_bad_status']);
    expect(account?.balance).toBe(1);
    const { entries } = await listLeaderboard(ctx, { product: 'agent-run', limit: 10, cursor: null });
    expect(entries).toMatchObject([{ host: new URL(target.url).host, score: 0, runs: 1 }]);
    await target.stop();
  });

  test('a reply that is nested too deep is a fault of the target, so a ranked run cannot escape by it', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const body = `{"choices":[{"message":{"content":"x"}}],"more":${deep}}`;
    const target = startToolTarget(null, ({ call }) =>
      call === 1 ? toolCallsReply([giveUp]) : new Response(body),
    );
    const { run, account, tasks } = await runAgainst(target.url, true);
    expect(run).toMatchObject({ status: 'completed', chargeState: 'consumed' });
    expect(tasks[1]?.verdict?.error).toBe('target_bad_response');
    expect(account?.balance).toBe(1);
    await target.stop();
  });

  test('a run that its worker abandons continues with the same messages', async () => {
    const ending = new AbortController();
    const leaving = createTestRunner(ctx, redis.url, { ending: ending.signal });
    const sent: unknown[] = [];
    const target = startToolTarget(null, ({ messages, call }) => {
      if (call === 3) {
        sent.push(messages);
        ending.abort();
        return Promise.withResolvers<Response>().promise;
      }
      if (call === 4) sent.push(messages);
      if (call === 1) return textReply('Where do I start?');
      return call === 2 ? toolCallsReply([look, look], 'Looking') : toolCallsReply([giveUp]);
    });
    const { run, job } = await redeemAt(target.url);
    await expect(pushRun(leaving, job)).rejects.toBeInstanceOf(Snooze);
    await pushRun(runner, job);
    expect(sent[1]).toEqual(sent[0]);
    expect(target.calls[3]!.idempotencyKey).toBe(target.calls[2]!.idempotencyKey);
    const { run: kept, calls } = await readAgentRun(ctx, run.id);
    expect(kept).toMatchObject({ status: 'completed', attempt: 2, releases: 1 });
    expect(calls.filter(({ n }) => n === 1).map(({ tool }) => tool)).toEqual([
      look.tool,
      look.tool,
      giveUp.tool,
    ]);
    leaving.close();
    await target.stop();
  });

  test('a worker whose claim was taken over changes nothing', async () => {
    const target = startToolTarget(null, async ({ call }) => {
      if (call === 1) {
        clock.advance(runLeaseMs + 1);
        await claimRun(ctx, { runId: run.id });
      }
      return toolCallsReply([giveUp]);
    });
    const { run, job } = await redeemAt(target.url);
    await pushRun(runner, job);
    expect([(await readAgentRun(ctx, run.id)).calls.length, target.calls.length]).toEqual([0, 1]);
    // The other worker holds the claim until its lease ends.
    await expect(pushRun(runner, job)).rejects.toBeInstanceOf(Snooze);
    clock.advance(runLeaseMs + 1);
    await pushRun(runner, job);
    expect((await readAgentRun(ctx, run.id)).run.status).toBe('completed');
    await target.stop();
  });

  test('what a worker left unsettled when it died, the next one settles without a call', async () => {
    const target = startToolTarget(null, () => toolCallsReply([giveUp]));
    const cause = { status: 404, connection: null, excerpt: 'no such model', expected: 'calls' };
    const fault = { code: 'target_bad_status', problem: 'It is gone.', cause } as const;
    for (const [tasks, end, ranked] of [
      [1, fault, false],
      [1, fault, true],
      [taskCount, null, false],
    ] as const) {
      const { run, job } = await redeemAt(target.url, {}, ranked);
      await claimRun(ctx, { runId: run.id });
      const claim = { runId: run.id, attempt: 1 };
      for (let n = 1; n <= tasks; n += 1) {
        expect(await openPushedTask(ctx, claim)).toMatchObject({ row: { n } });
        await endPushedTask(ctx, claim, n, end);
      }
      clock.advance(runLeaseMs + 1);
      await pushRun(runner, job);
      const { run: ended, account, tasks: kept } = await readAgentRun(ctx, run.id);
      expect(ended).toMatchObject(
        end === null || ranked
          ? { status: 'completed', chargeState: 'consumed', score: 0 }
          : {
              failureCode: 'target_bad_status',
              failureMessage: 'The first call to the target failed. The run was refunded.',
            },
      );
      expect([account?.balance, kept.length]).toEqual([ended.status === 'completed' ? 1 : 2, tasks]);
      expect((await readJob(job.jobId)).closedAt).not.toBeNull();
    }
    expect(target.calls).toHaveLength(0);
    await target.stop();
  });

  test('a run whose workers died with a reply of its target fails by its target, and counts if it is ranked', async () => {
    const target = startToolTarget(null, () => toolCallsReply([giveUp]));
    for (const ranked of [false, true]) {
      const { run, job } = await redeemAt(target.url, {}, ranked);
      for (let attempt = 1; attempt <= runAttemptsMax; attempt += 1) {
        await claimRun(ctx, { runId: run.id });
        if (attempt > 1) await noteReply(ctx, { runId: run.id, attempt }, true);
        clock.advance(runLeaseMs + 1);
      }
      await pushRun(runner, job);
      expect((await readAgentRun(ctx, run.id)).run).toMatchObject(
        ranked
          ? { status: 'completed', chargeState: 'consumed' }
          : { failureCode: 'target_bad_response', chargeState: 'refunded' },
      );
    }
    expect(target.calls).toHaveLength(0);
    await target.stop();
  });

  test('a run holds no reply between its calls, and none on its first attempt', async () => {
    const held: boolean[] = [];
    const target = startToolTarget(null, async () => {
      held.push((await readAgentRun(ctx, run.id)).run.replyAttempt !== null);
      return toolCallsReply([giveUp]);
    });
    const { run, job } = await redeemAt(target.url);
    await dieWith(ctx, clock, run.id);
    await pushRun(runner, job);
    expect(held.length).toBeGreaterThan(1);
    expect(held).not.toContain(true);
    expect((await readAgentRun(ctx, run.id)).run).toMatchObject({ status: 'completed', lethalReplies: 0 });
    await target.stop();
  });

  test('a run that kills its workers is abandoned and refunded', async () => {
    const target = startToolTarget(null, () => toolCallsReply([giveUp]));
    const { run, job } = await redeemAt(target.url);
    for (let attempt = 0; attempt < unexplainedAttemptsMax; attempt += 1) {
      await dieWith(ctx, clock, run.id);
    }
    await pushRun(runner, job);
    const { run: ended } = await readAgentRun(ctx, run.id);
    expect([ended.failureCode, ended.chargeState]).toEqual(['internal', 'refunded']);
    expect(target.calls).toHaveLength(0);
    await target.stop();
  });

  test('when the time of its tasks is over, the run ends with the tasks done so far', async () => {
    const target = startToolTarget(null, ({ call }) => {
      if (call === 2) clock.advance(24 * 3_600_000);
      return toolCallsReply([giveUp]);
    });
    const { run, tasks, calls } = await runAgainst(target.url);
    expect([run.status, run.chargeState, target.calls.length]).toEqual(['completed', 'consumed', 2]);
    expect(calls.map(({ n }) => n)).toEqual([1]);
    expect(tasks.map(({ verdict }) => verdict?.finished)).toEqual([true, false]);
    await target.stop();
  });

  test('nothing of it drifts', async () => {
    expect((await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
  });
});

const textReplyOfAnotherForm = () => Response.json({ text: 'hello' });
