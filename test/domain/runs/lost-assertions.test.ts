/** Cases that lost assertions when their suite was imported, and how many it left out, are told wherever a run is shown. */
import { expect, test } from 'bun:test';
import { exportJunit } from '#evals/export/junit.ts';
import { exportRun } from '#domain/runs/export-run.ts';
import { findOwnRun } from '#domain/runs/find-run.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { playSuiteRun, publishTestSuite } from '#test/harness/suites.ts';

const whole = { prompt: 'Hi', expect: [{ equals: 'hello' }] };

forEachStore((store) => {
  const ctx = useTestCtx(store);

  test('cases that lost assertions at their import are named in the figures, in exports and in reports', async () => {
    const as = actingAs(ctx, await createTestAgent(ctx, { tokens: 50 }));
    const lost = ['assert: perplexity'];
    const partial = [
      { ...whole, id: 'part', lost },
      { ...whole, id: 'whole' },
    ];
    await publishTestSuite(as, { suite: 1, name: 'partial', left_out: 3, cases: partial });
    const runId = await playSuiteRun(as, `@${as.agent.handle}/partial`, 'hello');
    const { result, unseen } = await showOwnRun(as, { runId });
    expect(result?.partial).toEqual(['part']);
    expect(unseen).toEqual([
      'When the suite was imported, 3 cases of the source had no counterpart and were left out.',
      '1 case lost assertions when the suite was imported, and passes without them: part.',
    ]);
    const exported = await exportRun(as, await findOwnRun(as, { runId }));
    const items = await Array.fromAsync(exported.items());
    expect(exported.leftOutCases).toBe(3);
    expect(await Array.fromAsync(exportJunit(exported))).toContain(
      '<property name="cases_left_out_at_import" value="3"/>\n',
    );
    expect([exported.partialCases, items.map((item) => item.lost)]).toEqual([['part'], [lost, undefined]]);
  });
});
