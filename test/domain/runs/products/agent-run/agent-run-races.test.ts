/** Two processes and concurrent requests cannot double a step or a task, and a run that is cancelled counts what was done. */
import { expect, test } from 'bun:test';
import { gradeAnswers, answerCases } from '#domain/runs/pull/answer-cases.ts';
import { gradersInPlace } from '#domain/runs/grading/grade-reply.ts';
import {
  answerTask,
  callsIn,
  fetchTask,
  giveUp,
  look,
  planFor,
  playNextTask,
  readAgentRun,
  startAgentRun,
  stepOf,
} from '#test/harness/agent-runs.ts';
import { whole } from '#test/evals/export/exported-runs.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { tally, codeOf } from '../../../outcomes.ts';
import { openTwoProcesses } from '../../../two-processes.ts';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { reportRun } from '#domain/runs/report-run.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { writeDetails } from '#evals/report/details.ts';
import { writeMarkdown } from '#evals/report/text.ts';

forEachStore((store) => {
  const race = openTwoProcesses(store);
  const ctx = useTestCtx(store);
  const { agent } = useAgentCtx(ctx, { tokens: 100 });

  test('a run whose steps alternate between two processes goes on as with one', async () => {
    const run = await startAgentRun(actingAs(ctx, agent));
    for (let index = 0; index < 4; index += 1) {
      const task = (await fetchTask(actingAs(ctx, agent), run))!;
      const plan = await planFor(ctx, run, index);
      for (let step = 0; step * 5 < plan.length; step += 1) {
        // The second entry of the race is the second process.
        const turns = race(ctx, 2, async (one, place) =>
          place === step % 2
            ? answerTask(actingAs(one, agent), run, { ...task, step }, plan.slice(step * 5, step * 5 + 5))
            : null,
        );
        await Promise.all(turns);
      }
    }
    const { tasks } = await readAgentRun(ctx, run.id);
    expect(tasks.map(({ status }) => status)).toEqual(Array(4).fill('passed'));
  });

  test('a transaction that fails leaves no step behind, neither in the store nor in memory', async () => {
    const as = actingAs(ctx, agent);
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
    const as = actingAs(ctx, agent);
    const run = await startAgentRun(as, { ranked: true });
    await playNextTask(as, run);
    const task = (await fetchTask(as, run))!;
    // Everything but `task_finish`.
    await playNextTask(as, run, (await planFor(ctx, run, 1)).slice(0, -1));
    const ended = await cancelRun(as, { runId: run.id });
    expect(ended).toMatchObject({ status: 'completed', cancelled: true, chargeState: 'consumed' });
    expect(await cancelRun(as, { runId: run.id })).toEqual(ended);
    const { tasks } = await readAgentRun(ctx, run.id);
    expect(tasks.map(({ status }) => status)).toEqual(['passed', ...Array(11).fill('error')]);
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
    expect(await whole(writeDetails(report, 'failed'))).toContain('### task-12: error\n\nno reply: cancelled\n');
  });
});
