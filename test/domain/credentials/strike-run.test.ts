/** A struck run takes those that have its replies with it. */
import { beforeAll, expect, test } from 'bun:test';
import { strikeRun } from '#domain/credentials/strike-run.ts';
import { listScores } from '#domain/runs/list-scores.ts';
import { grantTokens } from '#domain/tokens/grant-tokens.ts';
import { regradeRun } from '#domain/runs/regrade-run.ts';
import { updateSuite } from '#domain/suites/change-suite.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { changeRows, rowOf, rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { playSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { closeWithKey, signUp } from '../agents/sign-up.ts';
import { codeOf, expectNoDrift } from '../outcomes.ts';

const grant = { reason: 'x', expiresAt: null, reference: null };

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const as = useAgentCtx(ctx, { tokens: 20 });
  const maintainer = useAgentCtx(ctx, { isMaintainer: true });
  const suite = () => `@${as.agent.handle}/struck`;
  beforeAll(async () => {
    await publishTestSuite(as, {
      suite: 1,
      name: 'struck',
      cases: [{ id: 'a', prompt: 'p', expect: [{ equals: 'x' }] }],
    });
    await updateSuite(as, { owner: as.agent.handle, name: 'struck', visibility: 'open' });
  });

  const regrade = (runId: string) => regradeRun(as, { runId, version: null, label: null });
  const regraded = async (runId: string) => {
    const { id } = await regrade(runId);
    await changeRows(ctx, 'runs', { id }, { status: 'completed', chargeState: 'consumed' });
    return id;
  };
  const strike = (runId: string) => strikeRun(maintainer, { runId, reason: 'It copied the answers.' });

  test.each([0, 1, 2])(
    'all runs with the same replies are struck off, whichever is named: %p',
    async (at) => {
      const other = await playSuiteRun(as, suite(), 'x');
      const others = [other, await regraded(other)];
      const first = await playSuiteRun(as, suite(), 'x', { ranked: true });
      const second = await regraded(first);
      const third = await regraded(second);
      const open = (await regrade(first)).id;
      const runIds = [first, second, third, open];
      await strike(runIds[at] ?? '');
      for (const runId of runIds) {
        expect((await rowOf(ctx, 'runs', { id: runId })).struckAt).not.toBeNull();
        expect((await rowOf(ctx, 'runCredentials', { runId })).revokedAt).not.toBeNull();
      }
      expect(await rowsOf(ctx, 'leaderboardEntries', { agentId: as.agent.id })).toEqual([]);
      for (const runId of others) expect((await rowOf(ctx, 'runs', { id: runId })).struckAt).toBeNull();
      for (const runId of [first, second]) expect(await codeOf(regrade(runId))).toBe('conflict');
      const scores = await listScores(as, { agentId: as.agent.id, product: 'suite-run' });
      expect(scores.map(({ id }) => id)).not.toContain(first);
      expect(scores.map(({ id }) => id)).toContain(other);
      await expectNoDrift(ctx);
    },
  );

  test('a struck run of a closed account brings nothing back to a leaderboard', async () => {
    const { ctx: own, key, agent } = await signUp(ctx);
    await grantTokens(maintainer, { handle: agent.handle, amount: 5, ...grant });
    const [first] = [
      await playSuiteRun(own, suite(), 'x', { ranked: true }),
      await playSuiteRun(own, suite(), 'x', { ranked: true }),
    ];
    await closeWithKey(own, key);
    await strike(first);
    expect(await rowsOf(ctx, 'leaderboardEntries', { agentId: agent.id })).toEqual([]);
    await expectNoDrift(ctx);
  });
});
