/**
 * A run that fails because of its target is refunded and shows what was expected and what came back, for both products.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Ctx } from '#domain/context.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { pushRun } from '#workers/eval-runner/push-run.ts';
import { readAgentRun, startPushedRun } from '#test/harness/agent-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { createTestRunner, jobRowOf, readRun, redeem, type TestRunner } from '#test/harness/eval-runs.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { onStore } from '#test/harness/stores.ts';
import { type FailingTarget, failingTargets, mistakenForms, startFailingTarget } from './failing-targets.ts';

const redis = useTestRedis();

/** Long enough for the head of a response on a busy machine. */
const impatientMs = 3_000;
const resolve = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));

onStore('sqlite', (store) => {
  let ctx: Ctx;
  let runners: Record<'patient' | 'impatient', TestRunner>;
  beforeAll(() => {
    const plain = createTestCtx(store.db);
    ctx = { ...plain, rules: { ...plain.rules, targetAddresses: createAddressPolicy(['loopback']) } };
    runners = {
      patient: createTestRunner(ctx, redis.url, { resolve }),
      impatient: createTestRunner(ctx, redis.url, { limits: { answerTimeoutMs: impatientMs } }),
    };
  });
  afterAll(() => Object.values(runners).forEach((runner) => runner.close()));

  /** Functions that redeem a run for a token and carry it out. */
  const products = {
    'eval-run': async (url: string, runner: TestRunner) => {
      const agent = await createTestAgent(ctx, { tokens: 2, freeEvalTaken: true });
      const { evalRun } = await redeem(ctx, agent.id, url);
      await pushRun(runner, { runId: evalRun.id, jobId: (await jobRowOf(ctx, evalRun.id)).id });
      const { job, account, entries } = await readRun(ctx, evalRun.id);
      return { run: job, account, entries, expected: '{"text": "…"}' };
    },
    'agent-run': async (url: string, runner: TestRunner) => {
      const agent = await createTestAgent(ctx, { tokens: 2, freeAgentRunTaken: true });
      const { run, job } = await startPushedRun(actingAs(ctx, agent), url);
      await pushRun(runner, job);
      const { run: ended, account, entries } = await readAgentRun(ctx, run.id);
      return { run: ended, account, entries, expected: '"choices"' };
    },
  };

  async function expectExplained(product: keyof typeof products, failing: FailingTarget): Promise<void> {
    const target = startFailingTarget(failing);
    const runner = runners[failing.code === 'target_timeout' ? 'impatient' : 'patient'];
    const { run, account, entries, expected } = await products[product](target.url, runner);
    await target.stop();
    expect([failing.name, run.failureCode, run.failureCause]).toEqual([
      failing.name,
      failing.code,
      { ...failing.cause, expected: expect.stringContaining(expected) },
    ]);
    expect(run.failureMessage).toContain(`${failing.problem} The run was refunded.`);
    expect([run.status, run.chargeState, account?.balance]).toEqual(['failed', 'refunded', 2]);
    expect(entries.map(({ kind }) => kind).toSorted()).toEqual(['refund', 'spend']);
  }

  describe.each(['eval-run', 'agent-run'] as const)('%s', (product) => {
    // All at once, because the slow ones only wait.
    test('explains every kind of failing target', async () => {
      const all = [...failingTargets, mistakenForms[product]];
      await Promise.all(all.map((failing) => expectExplained(product, failing)));
    });
  });
});
