/** Two processes and concurrent requests cannot double a call, a task or an end. */
import { beforeAll, expect, test } from 'bun:test';
import { makeAgentCall, takeNextTask } from '#domain/runs/products/agent-run/pull-tasks.ts';
import type { BearerAgent } from '#domain/context.ts';
import {
  callOf,
  giveUp,
  look,
  planFor,
  playNextTask,
  readAgentRun,
  startAgentRun,
} from '#test/harness/agent-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { tally } from '../../../outcomes.ts';
import { openTwoProcesses } from '../../../two-processes.ts';

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let ctx: TestCtx;
  let agent: BearerAgent;
  beforeAll(async () => {
    ctx = createTestCtx(store.db);
    agent = await createTestAgent(ctx, { tokens: 100 });
  });

  test('concurrent fetches return the same task', async () => {
    const run = await startAgentRun(actingAs(ctx, agent));
    const handed = await Promise.all(
      race(ctx, 8, (one) => takeNextTask(actingAs(one, agent), { runId: run.id })),
    );
    expect(handed.map(({ task }) => task?.n)).toEqual(Array.from({ length: 8 }, () => 1));
    expect((await readAgentRun(ctx, run.id)).tasks).toHaveLength(1);
  });

  test('the same call through two processes is made once, and different calls are made in some order', async () => {
    const run = await startAgentRun(actingAs(ctx, agent));
    const { task } = await takeNextTask(actingAs(ctx, agent), { runId: run.id });
    const { budget = 0 } = task?.task ?? {};
    const made = await Promise.all(
      race(ctx, 12, (one, index) =>
        makeAgentCall(actingAs(one, agent), callOf(run, 1, `c${index % 3}`, look)),
      ),
    );
    expect(new Set(made.map(({ callsLeft }) => callsLeft))).toEqual(
      new Set([1, 2, 3].map((count) => budget - count)),
    );
    const { calls, tasks } = await readAgentRun(ctx, run.id);
    expect(new Set(calls.map(({ position }) => position))).toEqual(new Set([1, 2, 3]));
    expect(calls).toHaveLength(3);
    expect(tasks[0]?.calls).toBe(3);
  });

  test('of many racing ends, one counts', async () => {
    const run = await startAgentRun(actingAs(ctx, agent));
    await takeNextTask(actingAs(ctx, agent), { runId: run.id });
    const ends = race(ctx, 6, (one, index) =>
      makeAgentCall(actingAs(one, agent), callOf(run, 1, `end${index}`, giveUp)),
    );
    expect(await tally(ends)).toEqual({ ok: 1, task_ended: 5 });
    expect((await readAgentRun(ctx, run.id)).run.progressDone).toBe(1);
  });

  test('a run whose calls alternate between two processes goes on as with one', async () => {
    const run = await startAgentRun(actingAs(ctx, agent));
    for (let n = 1; n <= 4; n += 1) {
      await takeNextTask(actingAs(ctx, agent), { runId: run.id });
      for (const [index, call] of (await planFor(ctx, run, n)).entries()) {
        // The second entry of the race is the second process.
        const turns = race(ctx, 2, async (one, place) =>
          place === index % 2 ? makeAgentCall(actingAs(one, agent), callOf(run, n, `${index}`, call)) : null,
        );
        await Promise.all(turns);
      }
    }
    const { tasks } = await readAgentRun(ctx, run.id);
    expect(tasks.map(({ verdict }) => verdict?.passed)).toEqual([true, true, true, true]);
  });

  test('a transaction that fails leaves no call behind, neither in the store nor in memory', async () => {
    const as = actingAs(ctx, agent);
    const run = await startAgentRun(as);
    await takeNextTask(as, { runId: run.id });
    const plan = await planFor(ctx, run, 1);
    await playNextTask(as, run, plan.slice(0, 1));
    const before = await readAgentRun(ctx, run.id);
    const failing = ctx.db.transaction(async (tx) => {
      await makeAgentCall({ ...as, db: tx }, callOf(run, 1, 'x', look));
      throw new Error('for a test');
    });
    expect(await tally([failing])).toEqual({ 'Error: for a test': 1 });
    expect(await readAgentRun(ctx, run.id)).toEqual(before);
    for (const [index, call] of plan.slice(1).entries())
      await makeAgentCall(as, callOf(run, 1, `later-${index}`, call));
    const { tasks } = await readAgentRun(ctx, run.id);
    expect(tasks[0]?.verdict).toMatchObject({ passed: true });
  });
});
