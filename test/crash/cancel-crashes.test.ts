/** Kills the API while an agent cancels its runs. The agent repeats its request, and each run ends and is charged once. */
import { expect, test } from 'bun:test';
import { settlePort } from '#cli/supervisor/settle-defaults.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { giveUp, playNextTask, readAgentRun, startAgentRun } from '#test/harness/agent-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { plainRunSize, finishPulled, readPulledRun, redeem } from '#test/harness/eval-runs.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { askUntilAnswered } from './ask-until-answered.ts';
import { type Death, storesOf } from './crash-plan.ts';
import { runVictim } from './victim.ts';

/** The first two before the commit, the others after it. */
const deaths: readonly Death[] = (['run.written', 'transaction.committed', 'request.answering'] as const).map(
  (point) => ({ point, onPass: 1, afterSteps: 0 }),
);

for (const dialect of storesOf('postgres')) {
  test.concurrent(`on ${dialect}, runs that are cancelled while the API dies end once and are charged once`, async () => {
    const store = await openScratchStore(dialect);
    const redis = await startTestRedis();
    const port = await settlePort('127.0.0.1', 0);
    const ctx = createTestCtx(store.db);
    const agent = await createTestAgent(ctx, { tokens: 4, freeEvalTaken: true, freeAgentRunTaken: true });
    const as = actingAs(ctx, agent);
    const [queued, begun] = [
      (await redeem(ctx, agent.id, null)).evalRun.id,
      (await redeem(ctx, agent.id, null)).evalRun.id,
    ];
    const { cases } = await handOutCases(as, { runId: begun, limit: 8 });
    for (const { caseId } of cases) await finishPulled(as, begun, caseId, 'A reply');
    const queuedAgentRun = (await startAgentRun(as)).id;
    const agentRun = await startAgentRun(as);
    const begunAgentRun = agentRun.id;
    await playNextTask(as, agentRun, [giveUp]);
    let killed = 0;
    const stores = { database: store.setting, redisUrl: redis.url };
    const victim = runVictim({
      process: { program: 'api', stores, settings: { PORT: String(port) } },
      deaths: deaths.values(),
      mayDie: () => true,
      onDeath: (point, wasReached) => {
        killed += 1;
        expect([point, wasReached]).toEqual([point, true]);
      },
      timing: { afterMs: 0, reachMs: 60_000, lifeMs: 80_000 },
    });
    try {
      const ask = askUntilAnswered(`http://127.0.0.1:${port}/v1`, agent.bearerToken);
      const failed = { status: 'failed', cancelled: true, charge: { state: 'refunded' } };
      const ended = { status: 'completed', cancelled: true, charge: { state: 'consumed' } };
      for (const repeated of [false, true]) {
        expect([repeated, await ask(`/runs/${begun}/cancel`, {})]).toMatchObject([repeated, { run: ended }]);
        expect(await ask(`/runs/${begunAgentRun}/cancel`, {})).toMatchObject({ run: ended });
        expect(await ask(`/runs/${queued}/cancel`, {})).toMatchObject({ run: failed });
        expect(await ask(`/runs/${queuedAgentRun}/cancel`, {})).toMatchObject({ run: failed });
      }
      await (await victim).end();
      expect(killed).toBe(deaths.length);
      expect((await readPulledRun(ctx, begun)).positions).toHaveLength(plainRunSize);
      const { account, tasks } = await readAgentRun(ctx, begunAgentRun);
      expect([account?.balance, tasks.length]).toEqual([2, 12]);
      expect((await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
    } finally {
      await victim.then((survivor) => survivor.end()).catch(() => undefined);
      await redis.stop();
      await store.remove();
    }
  });
}
