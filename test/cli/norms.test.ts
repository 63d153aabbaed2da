/** `hub norms` on the command line, each command as its own process. */
import { beforeAll, expect, test } from 'bun:test';
import { giveUp, playNextTask, startAgentRun, taskCount } from '#test/harness/agent-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { databaseUrlOf, type EndedCommand, runHubCommand } from '#test/harness/hub-command.ts';
import { onStore } from '#test/harness/stores.ts';
const label = 'a large language model without code, cold, November 2026';

onStore('sqlite', (store) => {
  let ctx: TestCtx;
  beforeAll(() => void (ctx = createTestCtx(store.db)));
  const hub = (...words: readonly string[]): Promise<EndedCommand> =>
    runHubCommand(words, { DATABASE_URL: databaseUrlOf(store.setting) });

  test('a run is added, listed and removed, and the list says by whom', async () => {
    const as = actingAs(ctx, await createTestAgent(ctx, { tokens: 2 }));
    const run = await startAgentRun(as);
    expect(await hub('norms', 'add', run.id, label)).toMatchObject({
      exitCode: 1,
      complaints: expect.stringContaining('Only runs that have ended'),
    });
    for (let n = 1; n <= taskCount; n += 1) await playNextTask(as, run, [giveUp]);
    const added = await hub('norms', 'add', run.id, label);
    expect([added.exitCode, added.printed]).toEqual([0, expect.stringContaining(`${label}: 0.0 is shown`)]);
    expect((await hub('norms', 'list', '--json')).json()).toMatchObject({
      norms: [{ run_id: run.id, product: 'agent-run', label, score: 0, added_by: null, removed_at: null }],
      more: false,
    });
    expect((await hub('norms', 'remove', run.id)).exitCode).toBe(0);
    expect((await hub('norms', 'list')).printed).not.toContain(' no ');
    expect(await hub('norms', 'remove', run.id)).toMatchObject({ exitCode: 1 });
    expect(await hub('norms', 'add', 'x', label)).toMatchObject({ exitCode: 2 });
  });
});
