/** What a completed run shows: its conversations, and what is left of a version that the hub no longer has. */
import { expect, test } from 'bun:test';
import { exportRun } from '#domain/runs/export-run.ts';
import { findBaseline, findOwnRun } from '#domain/runs/find-run.ts';
import { listCases } from '#domain/runs/cases/list-cases.ts';
import { reportPlain, reportRun } from '#domain/runs/report-run.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { exportInspect } from '#evals/export/inspect.ts';
import { writeHtml } from '#evals/report/html.ts';
import { whole } from '#test/evals/export/exported-runs.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { plainRunSize, redeem } from '#test/harness/eval-runs.ts';
import { changeRows } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { answerAll } from '#test/harness/suites.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';

const twice = { trials: 2, runSize: 2 * plainRunSize };

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const as = useAgentCtx(ctx, { tokens: 10 });

  test('an export has the trials of each case together, and the replies between the messages of a conversation', async () => {
    const { evalRun } = await redeem(ctx, as.agent.id, null, twice);
    await answerAll(as, evalRun.id, 'no');
    const own = await findOwnRun(as, { runId: evalRun.id });
    const run = await exportRun(as, own);
    const trials = (await Array.fromAsync(run.items())).map((item) => item.trials.map(({ trial }) => trial));
    expect(trials).toEqual(Array(plainRunSize).fill([1, 2]));
    const { samples } = JSON.parse(await whole(exportInspect(run)));
    const rolesOf = ({ messages }: { messages: { role: string }[] }) =>
      messages.map(({ role }) => role).filter((role) => role !== 'system');
    const longest = samples.map(rolesOf).toSorted((a: string[], b: string[]) => b.length - a.length)[0];
    expect(longest.length).toBeGreaterThan(4);
    expect(longest).toEqual(longest.map((_: string, at: number) => (at % 2 === 0 ? 'user' : 'assistant')));
    expect(await whole(writeHtml(await reportPlain(as, own)))).toContain('Replied to message 1');
  });

  test('a run of an older version shows its trials without prompts, and no later run is compared with it', async () => {
    const { evalRun } = await redeem(ctx, as.agent.id, null, twice);
    await answerAll(as, evalRun.id, 'no');
    await changeRows(ctx, 'runs', { id: evalRun.id }, { suiteVersion: '0' });
    const { run, result, cases, unseen } = await showOwnRun(as, { runId: evalRun.id, withCases: true });
    expect(unseen[0]).toBe('The hub has another version of the health check now, so it shows no prompts.');
    expect(cases).toHaveLength(plainRunSize);
    for (const { case_id: id, prompt, trials } of cases ?? [])
      expect([prompt, trials]).toMatchObject([null, [1, 2].map((trial) => ({ trial, case_id: id }))]);
    const wanted = { run, result: result!, isOpen: true, filter: {}, limit: 100, cursor: null };
    expect((await listCases(as, wanted)).items).toHaveLength(plainRunSize);
    const { summary, outcome } = await reportRun(as, { runId: run.id, baseline: null });
    expect([summary.items, outcome]).toMatchObject([plainRunSize, 'held']);

    const next = (await redeem(ctx, as.agent.id, null)).evalRun;
    expect((await findBaseline(as, next, 'latest', next))?.id).not.toBe(evalRun.id);
  });
});
