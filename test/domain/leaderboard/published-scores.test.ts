/** Which scores an agent publishes: those of cases that it cannot have known. */
import { expect, test } from 'bun:test';
import { issueCredential } from '#domain/credentials/issue-credential.ts';
import { showBadge, showPublishedScores } from '#domain/leaderboard/published-scores.ts';
import { updateProfile } from '#domain/agents/update-profile.ts';
import { settleRun } from '#domain/runs/settle-run.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import type { RunOrder } from '#domain/runs/product.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { claimTestRun, completedWith, jobRowOf, redeem } from '#test/harness/eval-runs.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';

forEachStore((store) => {
  const ctx = useTestCtx(store, { secretKey: testSecretKey });
  const as = useAgentCtx(ctx, { tokens: 100 });
  const urls = { credential: (id: string) => id, statusList: (number: number) => String(number) };

  async function complete(score: number, order: Partial<RunOrder> = {}) {
    const { evalRun } = await redeem(ctx, as.agent.id, 'https://agent.example/ask', order);
    const { attempt } = await claimTestRun(ctx, evalRun.id);
    const { id: jobId } = await jobRowOf(ctx, evalRun.id);
    await settleRun(ctx, { runId: evalRun.id, attempt, jobId, outcome: completedWith(score) });
    return evalRun;
  }

  test('a replay and a chosen seed are not published, and their credential and scorecard say so', async () => {
    await updateProfile(as, { publishScore: 'history' });
    const first = await complete(2.9);
    const replay = await complete(98.5, { seed: first.suiteSeed, replayOf: first.id });
    const chosen = await complete(97.5, { seed: 'tuesday' });
    const { handle } = as.agent;
    const { scores } = await showPublishedScores(ctx, { handle });
    expect(scores.map(({ score }) => score)).toEqual([2.9]);
    expect((await showBadge(ctx, { handle })).score).toBe(2.9);

    const said = async (runId: string) => {
      const credential = await issueCredential(as, { runId, viewer: as.agent, urls });
      const { unseen } = await showOwnRun(as, { runId });
      return [credential['credentialSubject'], unseen[0]];
    };
    expect((await said(first.id))[0]).not.toHaveProperty('replay_of');
    expect(await said(replay.id)).toMatchObject([
      { score: 98.5, replay_of: first.id },
      `The cases are those of run ${first.id}: the agent may have known them.`,
    ]);
    expect(await said(chosen.id)).toMatchObject([
      { score: 97.5, replay_of: null },
      'The cases are those of a chosen seed: the agent may have known them.',
    ]);
  });
});
