/** What a credential says of a suite and how much of it was asked; and runs that are struck off. */
import { beforeAll, expect, test } from 'bun:test';
import { listAgentCredentials } from '#domain/credentials/agent-credentials.ts';
import { issueCredential } from '#domain/credentials/issue-credential.ts';
import { strikeRun } from '#domain/credentials/strike-run.ts';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { listScores } from '#domain/runs/list-scores.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { regradeRun } from '#domain/runs/regrade-run.ts';
import { updateSuite } from '#domain/suites/change-suite.ts';
import { grantTokens } from '#domain/tokens/grant-tokens.ts';
import { createId } from '#runtime/create-id.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { answerPulled, carryOut, createTestRunner, useTestRunner } from '#test/harness/eval-runs.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { changeRows, rowOf, rowsOf } from '#test/harness/rows.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { orderSuiteRun, playSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { closeWithKey, signUp } from '../agents/sign-up.ts';
import { codeOf, expectNoDrift } from '../outcomes.ts';

const redis = useTestRedis();

forEachStore((store) => {
  const ctx = useTestCtx(store, { secretKey: testSecretKey });
  const as = useAgentCtx(ctx, { tokens: 100 });
  const maintainer = useAgentCtx(ctx, { isMaintainer: true });
  const runner = useTestRunner(() => createTestRunner(ctx, redis.url));
  const urls = { credential: (id: string) => id, statusList: (number: number) => String(number) };

  const claimsOf = async (runId: string) =>
    (await issueCredential(as, { runId, viewer: as.agent, urls }))['credentialSubject'] as object;

  test('a credential counts cases, and says of how many, and what else a whole run is not', async () => {
    const ref = `@${as.agent.handle}/desk`;
    const cases = ['a', 'b', 'c', 'd'].map((id) => ({ id, prompt: `Say ${id}`, expect: [{ equals: 'a' }] }));
    await publishTestSuite(as, { suite: 1, name: 'desk', cases });
    const play = (order: object = {}) => playSuiteRun(as, ref, 'a', order);
    const exceptions = ['items_of', 'unanswered', 'cancelled', 'regraded_from'];
    const said = async (runId: string) => {
      const claims = Object.entries(await claimsOf(runId));
      return Object.fromEntries(claims.filter(([name]) => ['items', ...exceptions].includes(name)));
    };

    expect(await said(await play())).toEqual({ items: 4 });
    expect(await said(await play({ trials: 3 }))).toEqual({ items: 4 });
    expect(await said(await play({ only: 'a,b', trials: 2 }))).toEqual({ items: 2, items_of: 4 });

    const whole = await play();
    const again = await regradeRun(as, { runId: whole, version: null, label: null });
    await carryOut(runner, again.id);
    expect(await said(again.id)).toEqual({ items: 4, regraded_from: whole });

    const { id } = await orderSuiteRun(as, ref);
    await handOutCases(as, { runId: id, limit: 8 });
    await answerPulled(as, id, [{ caseId: 'a', text: 'a' }]);
    await cancelRun(as, { runId: id });
    expect(await said(id)).toEqual({ items: 4, unanswered: 3, cancelled: true });
  });

  test('a profile names the exceptions of a credential of another hub', async () => {
    const { tables } = ctx.db;
    const { id, handle, did } = as.agent;
    const claims = { product: 'suite-run', suite: { name: '@bo/desk', version: '1' }, score: 100, items: 1 };
    const interval = { low: 2.5, high: 100 };
    const subject = { ...claims, id: did, interval, finished_at: '2026-01-31T12:00:00Z' };
    const row = { agentId: id, issuer: 'did:web:other.example', host: 'other.example', validUntil: null };
    const createdAt = ctx.clock.now();
    await ctx.db.transaction(async ({ query }) => {
      for (const more of [{}, { items_of: 4, replay_of: null, cancelled: true, unanswered: 2 }])
        await query.insert(tables.agentCredentials).values({
          ...row,
          id: createId(createdAt),
          hash: JSON.stringify(more),
          credential: { credentialSubject: { ...subject, ...more } },
          createdAt,
        });
    });
    const shown = await listAgentCredentials(ctx, { handle, viewer: null });
    const exceptions = shown.map((one) => one.claims.exceptions);
    const said = ['only some of 4 cases', '2 unanswered', 'cases that may have been known', 'cancelled'];
    expect(exceptions.toSorted((one, other) => one.length - other.length)).toEqual([[], said]);
  });

  /** A struck run takes those that have its replies with it. */
  const suite = () => `@${as.agent.handle}/struck`;
  beforeAll(async () => {
    const cases = [{ id: 'a', prompt: 'p', expect: [{ equals: 'x' }] }];
    await publishTestSuite(as, { suite: 1, name: 'struck', cases });
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
    const grant = { amount: 5, reason: 'x', expiresAt: null, reference: null };
    await grantTokens(maintainer, { handle: agent.handle, ...grant });
    const first = await playSuiteRun(own, suite(), 'x', { ranked: true });
    await playSuiteRun(own, suite(), 'x', { ranked: true });
    await closeWithKey(own, key);
    await strike(first);
    expect(await rowsOf(ctx, 'leaderboardEntries', { agentId: agent.id })).toEqual([]);
    await expectNoDrift(ctx);
  });
});
