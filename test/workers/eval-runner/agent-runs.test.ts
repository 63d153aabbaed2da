/** Runs of the office in push mode, against real targets. */
import { expect, test } from 'bun:test';
import type { RunRow } from '#db/schema/run-tables.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { exportRun } from '#domain/runs/export-run.ts';
import { findOwnRun } from '#domain/runs/find-run.ts';
import type { RedemptionInput, TargetInput } from '#domain/runs/redemption-input.ts';
import { exportJunit } from '#evals/export/junit.ts';
import { summarize } from '#evals/report/summary.ts';
import { reminder } from '#evals/week/office-world.ts';
import { weekTools } from '#evals/week/tools/tools.ts';
import { Snooze } from '#runtime/jobs/job-worker.ts';
import { callsIn, giveUp, look, readAgentRun, startPushedRun, taskCount } from '#test/harness/agent-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { createTestRunner, useEvalRunner } from '#test/harness/eval-runs.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { onStore } from '#test/harness/stores.ts';
import { startToolTarget, textReply, toolCallsReply } from '#test/harness/tool-target.ts';
import { pushRun } from '#workers/eval-runner/push-run.ts';

const redis = useTestRedis();

onStore('sqlite', (store) => {
  const { ctx, runner } = useEvalRunner(store, redis);

  async function redeemAt(
    url: string,
    target: Partial<TargetInput> = {},
    changes: Partial<RedemptionInput> = {},
  ) {
    const as = actingAs(ctx, await createTestAgent(ctx, { tokens: 2, freeAgentRunTaken: true }));
    return { as, ...(await startPushedRun(as, url, target, changes)) };
  }

  /** Redeems a run, runs it to the end and reads the result. */
  async function runAgainst(url: string, changes: Partial<RedemptionInput> = {}) {
    const { as, run, job } = await redeemAt(url, {}, changes);
    await pushRun(runner, job);
    return { as, ...(await readAgentRun(ctx, run.id)) };
  }

  const rolesOf = (body: unknown) =>
    (body as { messages: { role: string }[] }).messages.map(({ role }) => role);

  test('a run whose target makes the calls of a perfect agent passes its tasks and is charged once', async () => {
    const runs: RunRow[] = [];
    await using target = startToolTarget({ ctx, runs }, ({ left, messages }) => {
      const isSolved = /^Task [12] /.test(messages[1]?.content ?? '');
      return toolCallsReply(isSolved ? left.slice(0, 2) : [giveUp], 'Two at once');
    });
    const { run, job } = await redeemAt(target.url, { headers: { authorization: 'Bearer secret' } });
    expect(run).toMatchObject({ mode: 'push', target: { concurrency: 1 } });
    runs.push(run);
    await pushRun(runner, job);
    const kept = await readAgentRun(ctx, run.id);
    expect(kept.run).toMatchObject({ status: 'completed', targetHeaders: null });
    expect([kept.account.balance, kept.entries.map(({ kind }) => kind)]).toEqual([1, ['spend']]);
    expect(kept.tasks.map(({ status }) => status === 'passed')).toEqual(
      Array.from({ length: taskCount }, (_, index) => index < 2),
    );
    const [first, second] = target.calls;
    expect(first!.headers.get('authorization')).toBe('Bearer secret');
    const { messages, tools } = second!.body as { messages: object[]; tools: [] };
    expect(tools).toHaveLength(weekTools.length);
    expect(rolesOf(second!.body)).toEqual(['system', 'user', 'assistant', 'tool', 'tool']);
    expect(messages[2]).toMatchObject({
      content: 'Two at once',
      tool_calls: [{ id: 'call_0' }, { id: 'call_1' }],
    });
    expect(messages[4]).toMatchObject({ tool_call_id: 'call_1' });
    expect(new Set(target.calls.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(target.calls.length);
  });

  test('a reply without calls gets one reminder, and the second one ends the task', async () => {
    await using target = startToolTarget(null, ({ messages, call }) =>
      call === 1 ? toolCallsReply([look]) : textReply(`I am done after ${messages.length} messages.`),
    );
    const { run, tasks } = await runAgainst(target.url);
    expect(run).toMatchObject({ status: 'completed', score: 0, chargeState: 'consumed' });
    expect(tasks.map((task) => callsIn(task).length)).toEqual([1, ...tasks.slice(1).map(() => 0)]);
    // The first task takes three requests: the call, the text and the text after the reminder.
    expect(target.calls).toHaveLength(2 * taskCount + 1);
    expect(rolesOf(target.calls[2]!.body)).toEqual('system user assistant tool assistant user'.split(' '));
    expect(JSON.stringify(target.calls[2]!.body)).toContain(reminder.slice(0, 30));
  });

  test('invalid calls produce results and count, whatever the arguments are', async () => {
    const deep = `${'['.repeat(500)}${']'.repeat(500)}`;
    const wrong = ['no json', '[1]', '{"a":"\\u0000"}', '{"a":"\\ud800"}', deep];
    await using target = startToolTarget(null, ({ call }) =>
      toolCallsReply([
        ...(call > 1 ? [] : [{ tool: 'no_such_tool', args: {} }]),
        ...(call > 1 ? [] : wrong.map((args) => ({ tool: 'notes_read', args }))),
        giveUp,
        look,
      ]),
    );
    const { run, tasks } = await runAgainst(target.url);
    // The call after `task_finish` was not made.
    const counted = { calls: 7, refused: 6, finished: true };
    expect([run.status, tasks[0]?.task]).toMatchObject(['completed', counted]);
  });

  test('a task that its target could not end keeps what was done and what came, and has not passed', async () => {
    await using target = startToolTarget(null, ({ call }) => {
      if (call === 3) return new Response('Overloaded\n<b>now</b>', { status: 402 });
      return toolCallsReply([call === 2 ? { tool: 'notes_write', args: { text: 'Half done.' } } : giveUp]);
    });
    const { as, run, tasks } = await runAgainst(target.url);
    expect(tasks[1]).toMatchObject({
      status: 'error',
      error_code: 'target_bad_status',
      error_response: { status: 402 },
      task: { passed: false, calls: 1, finished: false },
    });
    const exported = await exportRun(as, await findOwnRun(as, { runId: run.id }));
    const junit = (await Array.fromAsync(exportJunit(exported))).join('');
    expect(junit.match(/<testcase /g)).toHaveLength(12);
    expect(junit.match(/<error /g)).toHaveLength(1);
    const reason = 'target bad status (status 402: Overloaded <b>now</b>)';
    expect((await summarize(exported)).reasons).toEqual([{ reason, trials: 1, items: ['task-2'] }]);
  });

  test('a run that its worker abandons continues with the same messages', async () => {
    const ending = new AbortController();
    using leaving = createTestRunner(ctx, redis.url, { ending: ending.signal });
    const sent: unknown[] = [];
    await using target = startToolTarget(null, ({ messages, call }) => {
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
    const { run: kept, tasks } = await readAgentRun(ctx, run.id);
    expect(kept).toMatchObject({ status: 'completed', attempt: 2, releases: 1 });
    expect(callsIn(tasks[0]!)).toEqual([look, look, giveUp]);
  });

  test('nothing of it drifts', async () => {
    expect((await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
  });
});
