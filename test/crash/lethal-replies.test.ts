/**
 * A target whose every reply ends the process that reads it. Its run fails by its own fault, and counts because it is
 * ranked; a run of another agent in the same process completes.
 */
import { expect, test } from 'bun:test';
import type { Dialect } from '#db/dialect.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { runAttemptsMax } from '#domain/runs/run-limits.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { readRun, redeem } from '#test/harness/eval-runs.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { startTarget } from '#test/harness/target.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { type Death, storesOf } from './crash-plan.ts';
import { runVictim } from './victim.ts';

const timing = { afterMs: 0, reachMs: 60_000, lifeMs: 90_000 };
const deaths: readonly Death[] = Array.from({ length: runAttemptsMax }, () => ({
  point: 'reply.reading',
  onPass: 1,
  afterSteps: 0,
}));

for (const dialect of storesOf('postgres'))
  test.concurrent(
    `on ${dialect}, a ranked run whose replies kill eight runners counts, and its neighbour completes`,
    () => killRunners(dialect),
    400_000,
  );

async function killRunners(dialect: Dialect): Promise<void> {
  const store = await openScratchStore(dialect);
  const redis = await startTestRedis();
  let killed = 0;
  const lethal = startTarget(() => 'x');
  // It responds after the last death, so that each process dies of a reply to the other run.
  const harmless = startTarget(async () => {
    while (killed < deaths.length) await Bun.sleep(50);
    return 'x';
  });
  try {
    const plain = createTestCtx(store.db);
    const ctx = { ...plain, rules: { ...plain.rules, targetAddresses: createAddressPolicy(['loopback']) } };
    const start = async (url: string) => {
      const agent = await createTestAgent(ctx, { tokens: 2, freeEvalTaken: true });
      return (await redeem(ctx, agent.id, url, { ranked: true })).evalRun.id;
    };
    const neighborId = await start(harmless.url);
    const attackerId = await start(lethal.url);
    const victim = runVictim({
      process: {
        program: 'worker',
        words: ['--pool', 'eval-runner', '--pool', 'sweeper'],
        stores: { database: store.setting, redisUrl: redis.url },
        settings: { EVAL_ALLOWED_TARGETS: 'loopback' },
      },
      deaths: deaths.values(),
      mayDie: () => true,
      onDeath: (point, wasReached) => {
        expect([point, wasReached]).toEqual(['reply.reading', true]);
        killed += 1;
      },
      timing,
    });
    try {
      await victim;
      const hasEnded = async (id: string) => (await readRun(ctx, id)).row.closedAt !== null;
      await waitUntil(async () => (await hasEnded(attackerId)) && (await hasEnded(neighborId)), 120_000);
    } finally {
      await victim.then((survivor) => survivor.end()).catch(() => undefined);
    }
    const attacker = await readRun(ctx, attackerId);
    expect(attacker.job).toMatchObject({ status: 'completed', chargeState: 'consumed', score: 0 });
    expect(attacker.job).toMatchObject({ attempt: runAttemptsMax + 1, lethalReplies: runAttemptsMax - 1 });
    expect(new Set(attacker.cases.map(({ result }) => result.error_code))).toEqual(
      new Set(['target_bad_response']),
    );
    const neighbor = await readRun(ctx, neighborId);
    expect(neighbor.job).toMatchObject({ status: 'completed', chargeState: 'consumed', lethalReplies: 0 });
    expect(neighbor.job.attempt).toBeGreaterThanOrEqual(runAttemptsMax);
    expect(neighbor.cases.every(({ result }) => result.error_code === null)).toBe(true);
    expect((await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
  } finally {
    await lethal.stop();
    await harmless.stop();
    await redis.stop();
    await store.remove();
  }
}
