/** Two processes and concurrent requests cannot double a step, a task or an end. */
import { beforeAll, expect, test } from 'bun:test';
import type { BearerAgent } from '#domain/context.ts';
import { gradeAnswers, answerCases } from '#domain/runs/pull/answer-cases.ts';
import { gradersInPlace } from '#domain/runs/grading/graders.ts';
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
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { tally } from '../../../outcomes.ts';
import { openTwoProcesses } from '../../../two-processes.ts';

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let agent: BearerAgent;
  const ctx = useTestCtx(store);
  beforeAll(async () => {
    agent = await createTestAgent(ctx, { tokens: 100 });
  });

  test('concurrent fetches return the same task, and equal ends of it count once', async () => {
    const run = await startAgentRun(actingAs(ctx, agent));
    const fetched = await Promise.all(race(ctx, 8, (one) => fetchTask(actingAs(one, agent), run)));
    expect(fetched.map((task) => task?.caseId)).toEqual(fetched.map(() => 'task-1'));
    const ended = await Promise.all(
      race(ctx, 6, (one) => answerTask(actingAs(one, agent), run, fetched[0]!, [giveUp])),
    );
    expect(ended[0]?.cases).toMatchObject([{ caseId: 'task-1', done: true }]);
    expect(ended.map(({ cases }) => cases)).toEqual(ended.map(() => ended[0]!.cases));
    const { run: after, tasks } = await readAgentRun(ctx, run.id);
    expect([after.progressDone, tasks.length]).toEqual([1, 1]);
  });

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
    expect(tasks.map(({ status }) => status)).toEqual(['passed', 'passed', 'passed', 'passed']);
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
});
