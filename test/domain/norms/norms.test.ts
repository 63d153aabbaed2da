/** Measured agents beside scores, on both stores. */
import { beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { addNorm, removeNorm } from '#domain/norms/change-norms.ts';
import { listBoardNorms, listNorms, normBoardOf, normsOfBoardMax } from '#domain/norms/list-norms.ts';
import { listLeaderboard } from '#domain/leaderboard/list-leaderboard.ts';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { showAgentRun } from '#domain/runs/products/agent-run/show-agent-run.ts';
import { takeNextTask } from '#domain/runs/products/agent-run/pull-tasks.ts';
import { scorecardMarkdown } from '#evals/scorecard/markdown.ts';
import { scorecardDocument } from '#site/documents/scorecard.tsx';
import { weekVersion } from '#evals/week/week.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { giveUp, playNextTask, startAgentRun, taskCount } from '#test/harness/agent-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf } from '../outcomes.ts';
import { openTwoProcesses } from '../two-processes.ts';

const label = 'a large language model without code, cold, November 2026';

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let ctx: TestCtx;
  let agent: Awaited<ReturnType<typeof createTestAgent>>;
  beforeAll(async () => {
    ctx = createTestCtx(store.db);
    agent = await createTestAgent(ctx, { tokens: 50 });
  });

  async function change(run: RunRow, values: Partial<RunRow>): Promise<void> {
    const { runs } = ctx.db.tables;
    await ctx.db.transaction((tx) => tx.query.update(runs).set(values).where(eq(runs.id, run.id)));
  }

  /** A completed run with this score. */
  async function measured(score: number): Promise<RunRow> {
    const run = await startAgentRun(actingAs(ctx, agent));
    for (let n = 1; n <= taskCount; n += 1) await playNextTask(actingAs(ctx, agent), run, [giveUp]);
    await change(run, { score });
    return run;
  }

  const own = async () =>
    (await listNorms(ctx, { limit: 100, cursor: null })).items.filter(({ norm }) => norm.label === label);

  test('runs with one label are shown together by their mean: on card and leaderboard, until they are removed', async () => {
    const [one, two] = [await measured(56), await measured(60.5)];
    expect(await addNorm(ctx, { runId: one.id, label: ` ${label} ` })).toMatchObject({
      label,
      score: 56,
      addedBy: null,
    });
    await addNorm(ctx, { runId: two.id, label });
    // Adding it again changes nothing.
    await addNorm(ctx, { runId: two.id, label });
    expect(await listBoardNorms(ctx, normBoardOf(one))).toEqual([{ label, score: 58.3, runs: 2 }]);
    const { scorecard, norms } = await showAgentRun(actingAs(ctx, agent), { runId: one.id });
    expect(norms).toEqual([{ label, score: 58.3, runs: 2 }]);
    expect(scorecard?.norms.rows).toContainEqual({ name: label, score: 58.3, about: '2 runs' });
    expect(scorecardMarkdown(scorecard!, 'summary')).toContain(label);
    expect(scorecardDocument(scorecard!)).toContain(label);
    const board = await listLeaderboard(ctx, { product: 'agent-run', limit: 10, cursor: null });
    expect(board.norms).toEqual([{ label, score: 58.3, runs: 2 }]);
    expect((await listLeaderboard(ctx, { product: 'eval-run', limit: 10, cursor: null })).norms).toEqual([]);

    // Another label replaces the first, and what was removed stays in the list.
    await addNorm(ctx, { runId: two.id, label: 'another model' });
    expect(
      (await listBoardNorms(ctx, normBoardOf(one))).map(({ label: name, runs }) => [name, runs]),
    ).toEqual([
      ['another model', 1],
      [label, 1],
    ]);
    await removeNorm(ctx, { runId: two.id });
    expect(await removeNorm(ctx, { runId: one.id })).toMatchObject({ label, removedBy: null });
    expect(await codeOf(removeNorm(ctx, { runId: one.id }))).toBe('norm_not_found');
    expect(await listBoardNorms(ctx, normBoardOf(one))).toEqual([]);
    expect((await own()).map(({ norm }) => norm.removedAt !== null)).toEqual([true, true]);
  });

  test('maintainers change them as the operator does, and the list names them', async () => {
    const maintainer = await createTestAgent(ctx);
    const as = actingAs(ctx, maintainer);
    const run = await measured(40);
    expect(await codeOf(addNorm(as, { runId: run.id, label: 'x' }))).toBe('maintainer_only');
    expect(await codeOf(removeNorm(as, { runId: run.id }))).toBe('maintainer_only');
    expect(await codeOf(listNorms(as, { limit: 1, cursor: null }))).toBe('maintainer_only');
    ctx.maintainerDids.add(maintainer.did);
    await addNorm(as, { runId: run.id, label: 'x' });
    await removeNorm(ctx, { runId: run.id });
    const [newest] = (await listNorms(as, { limit: 1, cursor: null })).items;
    expect(newest).toMatchObject({ addedBy: maintainer.handle, removedBy: null, norm: { runId: run.id } });
    expect(newest?.norm.removedAt).not.toBeNull();
  });

  test('only a completed run of the current suite version is a norm, with a label of one line', async () => {
    const add = (runId: string, name = label) => codeOf(addNorm(ctx, { runId, label: name }));
    expect(await add('01900000-0000-7000-8000-000000000000')).toBe('run_not_found');
    const open = await startAgentRun(actingAs(ctx, agent));
    expect(await add(open.id)).toBe('run_not_ended');
    await takeNextTask(actingAs(ctx, agent), { runId: open.id });
    await cancelRun(actingAs(ctx, agent), { runId: open.id });
    expect(await add(open.id)).toBe('agent_run_not_completed');
    const unbegun = await startAgentRun(actingAs(ctx, agent));
    await cancelRun(actingAs(ctx, agent), { runId: unbegun.id });
    expect(await add(unbegun.id)).toBe('agent_run_not_completed');
    const run = await measured(30);
    for (const name of ['', '  ', 'two\nlines', 'x'.repeat(101), '\u0007'])
      expect(await add(run.id, name)).toBe('invalid_body');
    await change(run, { suiteVersion: '1' });
    expect(await add(run.id)).toBe('suite_version_mismatch');
    await change(run, { suiteVersion: weekVersion, product: 'suite-run' });
    expect(await add(run.id)).toBe('product_mismatch');
    await change(run, { product: 'agent-run', struckAt: new Date() });
    expect(await add(run.id)).toBe('agent_run_not_completed');
    await change(run, { struckAt: null });
    expect(await addNorm(ctx, { runId: run.id, label: 'x'.repeat(100) })).toMatchObject({ score: 30 });
    await removeNorm(ctx, { runId: run.id });
  });

  test('a board has room for a limited number, and racing additions of one run leave one', async () => {
    const run = await measured(20);
    const { runNorms } = ctx.db.tables;
    await Promise.all(race(ctx, 6, (one) => addNorm(one, { runId: run.id, label: 'raced' })));
    expect(await listBoardNorms(ctx, normBoardOf(run))).toEqual([{ label: 'raced', score: 20, runs: 1 }]);
    const [first] = await ctx.db.query.select().from(runNorms).where(eq(runNorms.runId, run.id));
    const filler = Array.from({ length: normsOfBoardMax - 1 }, (_, index) => ({
      ...first!,
      id: `01900000-0000-7000-8000-${String(index).padStart(12, '0')}`,
      runId: `01900000-0000-7000-8000-${String(index).padStart(12, '0')}`,
    }));
    await ctx.db.transaction((tx) => tx.query.insert(runNorms).values(filler));
    expect(await codeOf(addNorm(ctx, { runId: (await measured(1)).id, label }))).toBe('invalid_body');
    await ctx.db.transaction((tx) => tx.query.delete(runNorms));
  });
});
