/** A target that repeats its secret headers does not make the hub store or show them. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeDetails } from '#evals/report/details.ts';
import { writeHtml } from '#evals/report/html.ts';
import type { Ctx } from '#domain/context.ts';
import { reportPlain } from '#domain/runs/report-run.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { encryptHeaders } from '#domain/runs/encrypt-headers.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { readAgentRun, startPushedRun } from '#test/harness/agent-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { createTestRunner, plainRunSize, readRun, redeem, type TestRunner } from '#test/harness/eval-runs.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { onStore } from '#test/harness/stores.ts';
import { startTarget } from '#test/harness/target.ts';
import { startToolTarget, textReply, toolCallsReply } from '#test/harness/tool-target.ts';
import { plainTarget } from '#domain/runs/read-target.ts';
import { pushRun } from '#workers/eval-runner/push-run.ts';

const key = 'sk-live-7f2Qx93b';
const headers = { authorization: `Bearer ${key}` };
const forms = [key, key.toUpperCase(), Buffer.from(key).toString('base64')];
const echo = `Bearer ${forms.join(', ')}`;

function expectNoSecret(value: unknown): void {
  const text = JSON.stringify(value);
  expect(text).toContain('[redacted]');
  for (const form of forms) expect(text.toLowerCase()).not.toContain(form.toLowerCase());
}

const redis = useTestRedis();

onStore('sqlite', (store) => {
  let ctx: Ctx;
  let runner: TestRunner;
  beforeAll(() => {
    const plain = createTestCtx(store.db);
    ctx = { ...plain, rules: { ...plain.rules, targetAddresses: createAddressPolicy(['loopback']) } };
    runner = createTestRunner(ctx, redis.url);
  });
  afterAll(() => runner.close());

  async function runAgainst(reply: Parameters<typeof startTarget>[0]) {
    const target = startTarget(reply);
    const agent = await createTestAgent(ctx, { tokens: 2, freeEvalTaken: true });
    const { evalRun } = await redeem(ctx, agent.id, target.url, {
      target: { ...plainTarget, header_names: ['authorization'] },
      targetHeaders: encryptHeaders(testSecretKey, headers),
    });
    const { row } = await readRun(ctx, evalRun.id);
    await pushRun(runner, { runId: evalRun.id, jobId: row.id });
    await target.stop();
    return { run: await readRun(ctx, evalRun.id), as: actingAs(ctx, agent) };
  }

  test('the cases and the scorecard of a run have none', async () => {
    const { run, as } = await runAgainst(() => `ANSWER: ${echo}`);
    expect([run.job.status, run.cases.length]).toEqual(['completed', plainRunSize]);
    expectNoSecret(run.cases.map(({ result }) => result));
    const { cases } = await showOwnRun(as, { runId: run.job.id, withCases: true });
    expectNoSecret(cases);
    const report = await reportPlain(as, run.job);
    for (const text of [writeDetails(report, 'full'), writeHtml(report)])
      expectNoSecret(await Array.fromAsync(text));
    expectNoSecret([...(cases ?? []), run.scorecard]);
  });

  test.each([
    ['a reply that cannot be read', () => new Response(echo)],
    ['an error page', () => new Response(`Wrong key: ${echo}`, { status: 401 })],
  ])('the cause of a failure has none of %s', async (_, reply) => {
    const { run } = await runAgainst(reply);
    expect(run.job.status).toBe('failed');
    expectNoSecret(run.job);
  });

  test('the calls and texts of an agent run have none', async () => {
    const target = startToolTarget(null, ({ call }) =>
      call === 1 ? toolCallsReply([{ tool: `send ${key}`, args: { to: echo } }], echo) : textReply(echo),
    );
    const agent = await createTestAgent(ctx, { tokens: 2, freeAgentRunTaken: true });
    const { run, job } = await startPushedRun(actingAs(ctx, agent), target.url, { headers });
    await pushRun(runner, job);
    const kept = await readAgentRun(ctx, run.id);
    expectNoSecret([kept.open, kept.tasks, kept.run]);
    await target.stop();
  });
});
