/** Cancelling runs of the office on both stores: the charge, the open task, and races with steps. */
import { beforeAll, expect, test } from 'bun:test';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { reportRun } from '#domain/runs/report-run.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { writeDetails } from '#evals/report/details.ts';
import { writeMarkdown } from '#evals/report/text.ts';
import {
  answerTask,
  fetchTask,
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
import { codeOf, tally } from '../../../outcomes.ts';
import { openTwoProcesses } from '../../../two-processes.ts';

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let ctx: TestCtx;
  beforeAll(() => void (ctx = createTestCtx(store.db)));

  async function newAgent() {
    return createTestAgent(ctx, { tokens: 2, freeAgentRunTaken: true });
  }

  test('after its first task, a cancelled run is completed and charged, and the work on the open task counts in part', async () => {
    const as = actingAs(ctx, await newAgent());
    const run = await startAgentRun(as, { ranked: true });
    await playNextTask(as, run);
    const task = (await fetchTask(as, run))!;
    // Everything but `task_finish`.
    await playNextTask(as, run, (await planFor(ctx, run, 1)).slice(0, -1));
    const ended = await cancelRun(as, { runId: run.id });
    expect(ended).toMatchObject({ status: 'completed', cancelled: true, chargeState: 'consumed' });
    expect(await cancelRun(as, { runId: run.id })).toEqual(ended);
    const { tasks } = await readAgentRun(ctx, run.id);
    expect(tasks.map(({ status }) => status)).toEqual([
      'passed',
      ...Array.from({ length: 11 }, () => 'error'),
    ] as never);
    const [, open] = tasks;
    expect(open?.task).toMatchObject({ passed: false, partial: 1, finished: false });
    expect(await fetchTask(as, run)).toBeUndefined();
    expect(await codeOf(answerTask(as, run, { ...task, step: 1 }, [giveUp]))).toBe('run_ended');
  });

  test('the report of a cancelled run says how many tasks were answered, and holds nothing by default', async () => {
    const as = actingAs(ctx, await newAgent());
    const run = await startAgentRun(as);
    await playNextTask(as, run);
    await cancelRun(as, { runId: run.id });
    const shown = await showOwnRun(as, { runId: run.id });
    expect([shown.run.progressDone, shown.result?.unanswered]).toEqual([1, 11]);
    const report = await reportRun(as, { runId: run.id, baseline: null });
    expect(report.outcome).toBe('not_possible');
    const text = (await Array.fromAsync(writeMarkdown(report))).join('');
    expect(text).toContain('No rule found a fault in the cases that were answered.');
    expect(text).toContain('1 of 12 cases were answered. The others count as failed.');
    expect(text).toMatch(/Score: [\d.]+ of 100/);
    const details = (await Array.fromAsync(writeDetails(report, 'failed'))).join('');
    expect(details).toContain('### task-12: error\n\nno reply: cancelled\n');
  });

  test('before the first task has ended, it is refunded, unless it is ranked', async () => {
    for (const ranked of [false, true]) {
      const as = actingAs(ctx, await newAgent());
      const run = await startAgentRun(as, { ranked });
      await answerTask(as, run, (await fetchTask(as, run))!, [look]);
      await cancelRun(as, { runId: run.id });
      const { run: ended, account } = await readAgentRun(ctx, run.id);
      expect([ended.status, ended.failureCode, account?.balance]).toEqual(
        ranked ? ['completed', null, 1] : ['failed', 'cancelled', 2],
      );
    }
  });

  test('cancels race with steps and fetches in two processes: one end and one charge', async () => {
    for (let round = 0; round < 4; round += 1) {
      const agent = await newAgent();
      const as = actingAs(ctx, agent);
      const run = await startAgentRun(as);
      await playNextTask(as, run, [giveUp]);
      const task = (await fetchTask(as, run))!;
      const outcomes = await tally(
        race(ctx, 9, (one, index): Promise<unknown> => {
          const acting = actingAs(one, agent);
          if (index % 3 === 2) return cancelRun(acting, { runId: run.id });
          if (index % 3 === 1) return fetchTask(acting, run);
          return answerTask(acting, run, task, [giveUp]);
        }),
      );
      expect(Object.keys(outcomes).filter((name) => !['ok', 'run_ended'].includes(name))).toEqual([]);
      const { run: ended, tasks, account } = await readAgentRun(ctx, run.id);
      expect(ended).toMatchObject({ status: 'completed', cancelled: true });
      expect([tasks.length, account?.balance]).toEqual([12, 1]);
    }
    expect((await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
  });
});
