/** A reply that the target cut off at its limit of tokens fails for a reason that its explanation names. */
import { expect, test } from 'bun:test';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { pushRun } from '#workers/eval-runner/push-run.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestClock } from '#test/harness/clock.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { createTestRunner, jobRowOf } from '#test/harness/eval-runs.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { onStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';

const redis = useTestRedis();

onStore('sqlite', (store) => {
  test('the explanation of a failed trial says that the reply was cut off', async () => {
    const ctx = createTestCtx(store.db, createTestClock());
    const ada = await createTestAgent(ctx, { tokens: 5 });
    const cases = [
      { id: 'long', prompt: 'Tell a story.', expect: [{ contains: 'once' }, { contains: 'end' }] },
    ];
    await publishTestSuite(actingAs(ctx, ada), { suite: 1, name: 'stories', cases });
    const server = Bun.serve({
      port: 0,
      fetch: () => Response.json({ choices: [{ message: { content: 'once' }, finish_reason: 'length' }] }),
    });
    const target = {
      url: server.url.href,
      protocol: 'openai-chat' as const,
      model: null,
      headers: {},
      concurrency: 1,
      timeoutSeconds: null,
    };
    const rules = { ...ctx.rules, targetAddresses: createAddressPolicy(['loopback']) };
    const order = { target };
    const run = await orderSuiteRun({ ...actingAs(ctx, ada), rules }, `@${ada.handle}/stories`, order);
    const runner = createTestRunner(ctx, redis.url);
    await pushRun(runner, { runId: run.id, jobId: (await jobRowOf(ctx, run.id)).id });
    const { cases: shown } = await showOwnRun(actingAs(ctx, ada), { runId: run.id, withCases: true });
    expect(shown?.[0]?.trials).toMatchObject([
      {
        status: 'failed',
        graders: [
          { passed: true, found: '"once"' },
          { passed: false, found: 'none of it (the reply was cut off: finish_reason "length")' },
        ],
      },
    ]);
    runner.close();
    await server.stop(true);
  });
});
