/** Measured agents over HTTP: maintainers name them, and every scorecard of their suite shows them. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { withTransaction } from '#domain/context.ts';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { giveUp, playNextTask, startAgentRun, taskCount } from '#test/harness/agent-runs.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { onStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';

const label = 'a large language model without code, cold, November 2026';

onStore('sqlite', (store) => {
  let hub: TestHub;
  let maintainer: TestAgent;
  let agent: TestAgent;
  const maintainerDids = new Set<string>();
  beforeAll(async () => {
    hub = await startTestHub({ store, rules: { maintainerDids } });
    maintainer = await createTestAgent(hub.ctx, { handle: 'maintainer' });
    maintainerDids.add(maintainer.did);
    agent = await createTestAgent(hub.ctx, { tokens: 5 });
  });
  afterAll(() => hub.close());

  async function playRun(): Promise<string> {
    const as = actingAs(hub.ctx, agent);
    const run = await startAgentRun(as);
    for (let n = 1; n <= taskCount; n += 1) await playNextTask(as, run, [giveUp]);
    return run.id;
  }

  test('a maintainer adds a run, cards and the leaderboard show it, and it is removed', async () => {
    const runId = await playRun();
    const token = maintainer.bearerToken;
    const added = await hub.fetch('/v1/admin/norms', { token, json: { run_id: runId, label } });
    expect([added.status, added.body]).toMatchObject([
      201,
      { norm: { run_id: runId, product: 'agent-run', label, added_by: 'maintainer', removed_at: null } },
    ]);
    const shown = { label, score: 0, runs: 1 };
    const detail = await hub.fetch(`/v1/agent-runs/${runId}`, { token: agent.bearerToken });
    expect(detail.body.scorecard.norms).toEqual([shown]);
    const card = await hub.fetch(`/v1/agent-runs/${runId}/scorecard?format=json`, {
      token: agent.bearerToken,
    });
    expect(card.body.norms).toEqual([shown]);
    expect((await hub.fetch('/v1/leaderboard?product=agent-run')).body.norms).toEqual([shown]);
    expect((await hub.fetch('/v1/leaderboard')).body.norms).toEqual([]);
    expect((await hub.fetch('/v1/admin/norms', { token })).body).toMatchObject({
      norms: [{ run_id: runId }],
      next_cursor: null,
    });
    const removed = await hub.fetch(`/v1/admin/norms/${runId}`, { token, method: 'DELETE' });
    expect([removed.status, removed.body]).toEqual([200, { ok: true }]);
    expectError(
      await hub.fetch(`/v1/admin/norms/${runId}`, { token, method: 'DELETE' }),
      404,
      'norm_not_found',
    );
    expect((await hub.fetch('/v1/leaderboard?product=agent-run')).body.norms).toEqual([]);
    expect((await hub.fetch('/v1/admin/norms', { token })).body.norms).toMatchObject([
      { removed_by: 'maintainer' },
    ]);
  });

  test('nobody else may add, remove or list them, and a run that is no measure is refused', async () => {
    const token = maintainer.bearerToken;
    const json = { run_id: '01900000-0000-7000-8000-000000000000', label };
    expectError(
      await hub.fetch('/v1/admin/norms', { token: agent.bearerToken, json }),
      403,
      'maintainer_only',
    );
    expectError(await hub.fetch('/v1/admin/norms', { token: agent.bearerToken }), 403, 'maintainer_only');
    expectError(await hub.fetch('/v1/admin/norms', { token, json }), 404, 'run_not_found');
    const open = await startAgentRun(actingAs(hub.ctx, agent));
    expectError(
      await hub.fetch('/v1/admin/norms', { token, json: { ...json, run_id: open.id } }),
      409,
      'run_not_ended',
    );
    expectError(
      await hub.fetch('/v1/admin/norms', { token, json: { ...json, label: 'a\nb' } }),
      400,
      'invalid_body',
    );
    expectError(await hub.fetch('/v1/admin/norms?cursor=x', { token }), 400, 'invalid_parameter');
  });

  test('runs without a score, of a suite of somebody, or of another suite version are refused', async () => {
    const as = actingAs(hub.ctx, await createTestAgent(hub.ctx, { tokens: 9 }));
    const add = (runId: string) =>
      hub.fetch('/v1/admin/norms', { token: maintainer.bearerToken, json: { run_id: runId, label } });
    const open = await startAgentRun(as);
    await cancelRun(as, { runId: open.id });
    expectError(await add(open.id), 409, 'agent_run_not_completed');
    const { evalRun } = await redeem(hub.ctx, as.agent.id, null);
    await cancelRun(as, { runId: evalRun.id });
    expectError(await add(evalRun.id), 409, 'eval_job_not_completed');
    const cases = [{ id: 'a', prompt: 'Say hello.', expect: [{ contains: 'hello' }] }];
    await publishTestSuite(as, { suite: 1, name: 'own', cases });
    const { id: ofSuite } = await orderSuiteRun(as, `@${as.agent.handle}/own`);
    expectError(await add(ofSuite), 409, 'product_mismatch');
    const old = await playRun();
    const { runs } = hub.ctx.db.tables;
    await withTransaction(hub.ctx, ({ db }) =>
      db.query.update(runs).set({ suiteVersion: '1' }).where(eq(runs.id, old)),
    );
    expectError(await add(old), 409, 'suite_version_mismatch');
  });
});
