/** A run of the office from its redemption to its result: what counts, what ends it, and what it costs. */
import { expect, test } from 'bun:test';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { compareRuns } from '#domain/runs/compare-runs.ts';
import type { AgentCtx } from '#domain/context.ts';
import { listLeaderboard } from '#domain/leaderboard/list-leaderboard.ts';
import { answerCases, gradeAnswers } from '#domain/runs/pull/answer-cases.ts';
import { gradersInPlace } from '#domain/runs/grading/grade-reply.ts';
import { reportRun } from '#domain/runs/report-run.ts';
import { unfetchedMs } from '#domain/runs/run-limits.ts';
import { shareCases } from '#domain/runs/cases/share-cases.ts';
import { exportRun } from '#domain/runs/export-run.ts';
import { findOwnRun } from '#domain/runs/find-run.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { endDueRuns, pruneItems } from '#domain/runs/sweep-runs.ts';
import { writeDetails } from '#evals/report/details.ts';
import { writeMarkdown } from '#evals/report/text.ts';
import { exportInspect } from '#evals/export/inspect.ts';
import { exportOtlp } from '#evals/export/otlp.ts';
import {
  answerTask,
  callsIn,
  completeAgentRun,
  fetchTask,
  giveUp,
  look,
  planFor,
  playNextTask,
  readAgentRun,
  startAgentRun,
  stepOf,
  taskCount,
} from '#test/harness/agent-runs.ts';
import { whole } from '#test/evals/export/exported-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { answerPulled } from '#test/harness/eval-runs.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf, expectNoDrift, tally } from '../../../outcomes.ts';

forEachStore((store) => {
  const ctx = useTestCtx(store);

  async function newAgent(tokens = 5): Promise<AgentCtx> {
    return actingAs(ctx, await createTestAgent(ctx, { tokens, freeAgentRunTaken: true }));
  }
  const all = <T>(value: T, count = taskCount): T[] => Array.from({ length: count }, () => value);

  test('a perfect agent scores 100, is charged once, and sees its calls', async () => {
    const as = await newAgent();
    const run = await startAgentRun(as);
    expect(run).toMatchObject({ status: 'queued', chargeTokens: 1, chargeState: 'held', progressTotal: 12 });
    const called: object[] = [];
    for (let index = 0; index < taskCount; index += 1) {
      await fetchTask(as, run);
      const plan = await planFor(ctx, run, index);
      called.push(plan.map(({ tool, args }) => ({ name: tool, arguments: args })));
      expect(await playNextTask(as, run, plan)).toBe(index);
    }
    expect(await fetchTask(as, run)).toBeUndefined();
    const { run: ended, result, findings, cases } = await showOwnRun(as, { runId: run.id, withCases: true });
    const perfect = { status: 'completed', chargeState: 'consumed', score: 100, progressDone: 12 };
    expect(ended).toMatchObject(perfect);
    expect(ended.estimate?.effort?.passed).toBe(12);
    expect([result?.pass_rate.value, findings]).toEqual([1, []]);
    expect(cases?.map(({ case_id: id }) => id)).toEqual(all(0).map((_, place) => `task-${place + 1}`));
    expect(cases?.[0]?.prompt).toStartWith('Task 1 of 12, ');
    expect(cases?.map(({ trials }) => trials[0]?.tool_calls as object)).toEqual(called);
    const { account, entries } = await readAgentRun(ctx, run.id);
    expect([account?.balance, entries.map(({ kind }) => kind)]).toEqual([4, ['spend']]);
  });

  test('one task is open at a time, which others of the agent wait for, and each begins where the last one ended', async () => {
    const as = await newAgent();
    const run = await startAgentRun(as);
    const first = await fetchTask(as, run);
    expect(first).toMatchObject({ caseId: 'task-1', step: 0, again: false });
    expect(first?.system).toContain('You are the assistant of the office');
    expect(await fetchTask(as, run)).toMatchObject({ caseId: 'task-1', again: true });
    const note = { tool: 'notes_write', args: { text: 'The archive is closed on Fridays.' } };
    const last = () => answerTask(as, run, first!, [note, giveUp, look]);
    const { cases } = await last();
    // The results of the calls up to the one that ended the task, also when the step is repeated.
    expect(cases).toMatchObject([{ caseId: 'task-1', done: true, messages: [{ id: 'c0' }, { id: 'c1' }] }]);
    expect((await last()).cases).toEqual(cases);
    const second = await fetchTask(as, run);
    expect(second?.caseId).toBe('task-2');
    const read = await answerTask(as, run, second!, [look]);
    expect(JSON.stringify(read.cases)).toContain('The archive is closed on Fridays.');
    expect(read.remaining).toBe(11);
  });

  test('the budget of a task ends it with its last call, also of calls that are refused', async () => {
    const as = await newAgent();
    const run = await startAgentRun(as);
    const task = (await fetchTask(as, run))!;
    const budget = Number(/Budget: (\d+) calls/.exec(task.messages[0]?.content ?? '')?.[1]);
    const wrong = await answerTask(as, run, task, [{ tool: 'no_such_tool', args: {} }]);
    expect(JSON.stringify(wrong.cases)).toContain(`\\"calls_left\\":${budget - 1}`);
    for (let left = budget - 1, step = 1; left > 0; step += 1) {
      const calls = all(look, Math.min(60, left));
      left -= calls.length;
      const { cases } = await answerTask(as, run, { ...task, step }, calls);
      expect(cases[0]?.done).toBe(left === 0);
    }
    const { tasks } = await readAgentRun(ctx, run.id);
    expect(tasks[0]?.task).toMatchObject({ passed: false, finished: false, calls: budget, refused: 1 });
  });

  test('a run ends when its time is over: what was not reached has failed, and a task that goes on counts as it stands', async () => {
    const as = await newAgent();
    const run = await startAgentRun(as);
    await playNextTask(as, run);
    const task = (await fetchTask(as, run))!;
    await answerTask(as, run, task, [look]);
    ctx.clock.advance(12 * 60 * 60 * 1_000);
    await endDueRuns(ctx);
    const { run: ended, tasks } = await readAgentRun(ctx, run.id);
    expect(ended).toMatchObject({ status: 'completed', chargeState: 'consumed', progressDone: 1 });
    expect(ended.score).toBeCloseTo(100 / 12);
    expect(tasks.map(({ status }) => status)).toEqual(['passed', ...all('error', 11)] as never);
    expect(tasks.map((one) => one.task?.calls !== undefined)).toEqual([true, true, ...all(false, 10)]);
  });

  test('a call is a reply: a run that is cancelled after one, be its task open or ended by an error, is charged', async () => {
    const as = await newAgent();
    const cancelled = async (calls: boolean, fails: boolean) => {
      const run = await startAgentRun(as);
      const task = (await fetchTask(as, run))!;
      if (calls) await answerTask(as, run, task, [look]);
      if (fails) await answerPulled(as, run.id, [{ caseId: task.caseId, error: 'I am out of order.' }]);
      const { status, chargeState } = await cancelRun(as, { runId: run.id });
      return [status, chargeState];
    };
    expect(await cancelled(false, true)).toEqual(['failed', 'refunded']);
    expect(await cancelled(true, false)).toEqual(['completed', 'consumed']);
    expect(await cancelled(true, true)).toEqual(['completed', 'consumed']);
  });

  test('a ranked run is never free, and counts with 0 points when its agent abandons it', async () => {
    const as = actingAs(ctx, await createTestAgent(ctx, { tokens: 2 }));
    await completeAgentRun(as, { ranked: true }, (index) => index === 0);
    const own = async () => {
      const { entries } = await listLeaderboard(ctx, { product: 'agent-run', limit: 10, cursor: null });
      return entries.find(({ agentId }) => agentId === as.agent.id);
    };
    const before = await own();
    expect(before?.score).toBeGreaterThan(0);
    const run = await startAgentRun(as, { ranked: true });
    ctx.clock.advance(unfetchedMs);
    await endDueRuns(ctx);
    expect((await readAgentRun(ctx, run.id)).run).toMatchObject({ chargeState: 'consumed', score: 0 });
    expect((await own())?.score).toBeCloseTo((before?.score ?? 0) / 2, 0);
  });

  test('24 tasks cost twice as much as 12, as do two weeks, and neither is free', async () => {
    const as = actingAs(ctx, await createTestAgent(ctx, { tokens: 4 }));
    expect(await startAgentRun(as, { tasks: 24 })).toMatchObject({ progressTotal: 24, chargeTokens: 2 });
    expect(await startAgentRun(as, { trials: 2 })).toMatchObject({ progressTotal: 24, chargeTokens: 2 });
    expect(await startAgentRun(as, { tasks: 12 })).toMatchObject({ progressTotal: 12, chargeFree: true });
  });

  test('a further week has the same tasks as the first one', async () => {
    const as = await newAgent();
    // Two tasks of the first week, and one of them again.
    const { id } = await completeAgentRun(as, { trials: 2 }, (index) => [0, 1, taskCount].includes(index));
    const { run, tasks } = await readAgentRun(ctx, id);
    const [first, second] = [tasks.slice(0, taskCount), tasks.slice(taskCount)];
    // Later tasks depend on what was done in the earlier ones of the week.
    expect(second[0]?.task?.prompt).toBe(first[0]?.task?.prompt ?? '');
    const { result } = await showOwnRun(as, { runId: id });
    expect([result?.pass_k, result?.flaky]).toEqual([
      { k: 2, value: Number((1 / taskCount).toFixed(3)) },
      ['task-2'],
    ]);
    expect(run.estimate?.effort?.passed).toBe(3);
  });

  test('a replay works on the same week, also of a run that failed, and is compared task by task', async () => {
    const as = await newAgent();
    const run = await completeAgentRun(as, {}, (index) => index === 0);
    const again = await completeAgentRun(as, { replay_of: run.id });
    expect(again).toMatchObject({ progressTotal: taskCount, chargeFree: false, suiteSeed: run.suiteSeed });
    const compared = await compareRuns(as, { runId: run.id, otherRunId: again.id });
    const reach = { sample: 'same cases', compared: taskCount };
    expect(compared).toMatchObject({ broken: ['task-1'], reach });
    const failed = await startAgentRun(as);
    await cancelRun(as, { runId: failed.id });
    expect((await startAgentRun(as, { replay_of: failed.id })).suiteSeed).toBe(failed.suiteSeed);
    expect(await codeOf(startAgentRun(as, { replay_of: run.id, tasks: 12 }))).toBe('invalid_body');
  });

  test('what goes wrong alike in several tasks is a finding, and stays when the tasks are deleted', async () => {
    const as = await newAgent();
    const { id } = await completeAgentRun(as);
    const shown = await showOwnRun(as, { runId: id, withCases: true });
    expect(shown.findings?.[0]).toMatchObject({ rule: 'missed', certainty: 'certain' });
    expect(shown.cases?.[0]?.trials[0]?.graders[0]).toMatchObject({ name: 'office', passed: false });
    ctx.clock.advance(400 * 24 * 60 * 60 * 1_000);
    expect(await pruneItems(ctx, { retentionDays: 180 })).toBeGreaterThan(0);
    const { findings, cases } = await showOwnRun(as, { runId: id, withCases: true });
    expect(findings).toEqual(shown.findings);
    expect(cases?.map(({ trials }) => trials.length)).toEqual(all(0));
  });

  test('a scorecard that is shared without texts has no arguments of calls in its findings', async () => {
    const as = await newAgent();
    const run = await startAgentRun(as);
    const wrong = { tool: 'tell_takeover_plan_7', args: {} };
    for (let index = 0; index < taskCount; index += 1) await playNextTask(as, run, [wrong, giveUp]);
    const { run: ended, findings } = await showOwnRun(as, { runId: run.id });
    expect(findings?.[0]?.sentence).toContain('takeover_plan_7');
    const shared = await shareCases(as, ended, { withTexts: false, limit: 100, cursor: null });
    expect(shared?.result.findings?.[0]?.sentence).toMatch(/^12 of 24 calls are refused: "…"$/);
    expect(JSON.stringify(shared)).not.toContain('takeover');
  });

  test('an export has what the agent is told, what was expected of it and what it did, and its tools', async () => {
    const as = await newAgent();
    const run = await startAgentRun(as);
    const task = await fetchTask(as, run);
    for (let index = 0; index < taskCount; index += 1) await playNextTask(as, run, [giveUp]);
    const exported = await exportRun(as, await findOwnRun(as, { runId: run.id }));
    const items = await Array.fromAsync(exported.items());
    const gaveUp = { reply: 'I give up.', expected: expect.any(String), explanation: expect.any(String) };
    expect(items.map(({ trials }) => trials)).toMatchObject(all([gaveUp]));
    const log = JSON.parse(await whole(exportInspect(exported)));
    expect(log.samples[0].messages).toMatchObject([
      { role: 'system', content: task?.system },
      { role: 'user', content: task?.messages[0]?.content },
      { role: 'assistant', tool_calls: [{ function: 'task_finish' }] },
    ]);
    const [span] = await Array.fromAsync(exportOtlp(exported));
    expect(span).toContain('gen_ai.tool.definitions');
    expect(span).toContain('task_finish');
  });

  test('a transaction that fails leaves no step behind, neither in the store nor in memory', async () => {
    const as = await newAgent();
    const run = await startAgentRun(as);
    const task = (await fetchTask(as, run))!;
    const plan = await planFor(ctx, run, 0);
    await answerTask(as, run, task, plan.slice(0, 1));
    const before = await readAgentRun(ctx, run.id);
    const answers = [{ caseId: task.caseId, step: 1, toolCalls: stepOf([look]).calls }];
    const graded = await gradeAnswers(as, { runId: run.id, answers, graders: gradersInPlace });
    const failing = ctx.db.transaction(async (tx) => {
      await answerCases({ ...as, db: tx }, graded);
      throw new Error('for a test');
    });
    expect(await tally([failing])).toEqual({ 'Error: for a test': 1 });
    expect(await readAgentRun(ctx, run.id)).toEqual(before);
    await playNextTask(as, run, plan.slice(1));
    const { tasks } = await readAgentRun(ctx, run.id);
    expect(tasks[0]).toMatchObject({ status: 'passed' });
    expect(callsIn(tasks[0]!)).toEqual(plan);
  });
  test('after its first task, a cancelled run is completed and charged, and its report says how much was answered', async () => {
    const as = await newAgent();
    const run = await startAgentRun(as, { ranked: true });
    await playNextTask(as, run);
    const task = (await fetchTask(as, run))!;
    // Everything but `task_finish`.
    await playNextTask(as, run, (await planFor(ctx, run, 1)).slice(0, -1));
    const ended = await cancelRun(as, { runId: run.id });
    expect(ended).toMatchObject({ status: 'completed', cancelled: true, chargeState: 'consumed' });
    expect(await cancelRun(as, { runId: run.id })).toEqual(ended);
    const { tasks } = await readAgentRun(ctx, run.id);
    expect(tasks.map(({ status }) => status)).toEqual(['passed', ...all('error', 11)] as never);
    // The work on the open task counts in part.
    expect(tasks[1]?.task).toMatchObject({ passed: false, partial: 1, finished: false });
    expect(await fetchTask(as, run)).toBeUndefined();
    expect(await codeOf(answerTask(as, run, { ...task, step: 1 }, [giveUp]))).toBe('run_ended');

    const { run: shown, result } = await showOwnRun(as, { runId: run.id });
    expect([shown.progressDone, result?.unanswered]).toEqual([1, 11]);
    const report = await reportRun(as, { runId: run.id, baseline: null });
    expect(report.outcome).toBe('not_possible');
    const text = await whole(writeMarkdown(report));
    expect(text).toContain('No rule found a fault in the cases that were answered.');
    expect(text).toContain('1 of 12 cases were answered. The others count as failed.');
    expect(text).toMatch(/Score: [\d.]+ of 100/);
    expect(await whole(writeDetails(report, 'failed'))).toContain(
      '### task-12: error\n\nno reply: cancelled\n',
    );
  });

  test('the audit finds nothing wrong in all of this', async () => {
    await expectNoDrift(ctx);
  });
});
