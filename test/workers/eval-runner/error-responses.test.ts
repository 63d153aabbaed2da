/** What a target sent instead of a reply: kept with its case and shown to the owner of the run. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { shareCases } from '#domain/runs/cases/share-cases.ts';
import { reportPlain } from '#domain/runs/report-run.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { updateSuite } from '#domain/suites/change-suite.ts';
import { showSuiteRun } from '#domain/suites/show-suite-run.ts';
import { writeHtml } from '#evals/report/html.ts';
import { writeJson } from '#evals/report/json.ts';
import { writeMarkdown } from '#evals/report/text.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { pushRun } from '#workers/eval-runner/push-run.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestClock } from '#test/harness/clock.ts';
import { actingAs, createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { createTestRunner, jobRowOf, redeem, type TestRunner } from '#test/harness/eval-runs.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { onStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { startTarget } from '#test/harness/target.ts';

const redis = useTestRedis();

const body = `<b>Out of\n*order*</b> ${'x'.repeat(600)}`;
const response = { status: 404, excerpt: body.slice(0, 500) };

/** Responds with an error to one call. */
function startMissing(failing: number) {
  const target = startTarget(() =>
    target.calls.length === failing ? new Response(body, { status: 404 }) : 'hello',
  );
  return target;
}

onStore('sqlite', (store) => {
  let ctx: TestCtx;
  let runner: TestRunner;
  beforeAll(() => {
    const plain = createTestCtx(store.db, createTestClock());
    ctx = { ...plain, rules: { ...plain.rules, targetAddresses: createAddressPolicy(['loopback']) } };
    runner = createTestRunner(ctx, redis.url);
  });
  afterAll(() => runner.close());

  async function run(id: string): Promise<void> {
    await pushRun(runner, { runId: id, jobId: (await jobRowOf(ctx, id)).id });
  }

  test('a failed case of an eval run shows the status and the beginning of the body, in its cases, page and Markdown', async () => {
    const target = startMissing(4);
    const agent = await createTestAgent(ctx, { tokens: 4, freeEvalTaken: true });
    const { evalRun } = await redeem(ctx, agent.id, target.url);
    await run(evalRun.id);
    await target.stop();
    const as = actingAs(ctx, agent);
    const { cases, run: ended } = await showOwnRun(as, { runId: evalRun.id, withCases: true });
    const trials = cases?.flatMap((one) => one.trials) ?? [];
    expect(trials.flatMap(({ error_response: shown }) => shown ?? [])).toEqual([response]);
    const report = await reportPlain(as, ended);
    const [html, markdown, json] = await Promise.all(
      [writeHtml(report), writeMarkdown(report), writeJson(report)].map(async (text) =>
        (await Array.fromAsync(text)).join(''),
      ),
    );
    expect(html).not.toContain('<b>Out of');
    // In a code span.
    expect(markdown).toMatch(/`no reply: target bad status \(status 404: <b>Out of \*order\*<\/b> x+|Out of/);
    expect(JSON.parse(json!)).toMatchObject({ cases: { error: 1 } });
    // Others read a shared run without its texts.
    expect(JSON.stringify(await shareCases(as, ended, false))).not.toContain('Out of');
  });

  test('a failed trial of a suite run shows them to its agent, but not to the owner of the suite', async () => {
    const [owner, agent] = [await createTestAgent(ctx), await createTestAgent(ctx, { tokens: 4 })];
    const cases = ['one', 'two', 'three', 'four', 'five'].map((id) => ({
      id,
      prompt: id,
      expect: [{ matches: '.' }],
    }));
    await publishTestSuite(actingAs(ctx, owner), { suite: 1, name: 'words', cases });
    await updateSuite(actingAs(ctx, owner), { owner: owner.handle, name: 'words', visibility: 'open' });
    const target = startMissing(2);
    const { id } = await orderSuiteRun(actingAs(ctx, agent), `@${owner.handle}/words`, {
      target: {
        url: target.url,
        protocol: 'hub',
        model: null,
        headers: {},
        concurrency: 1,
        timeoutSeconds: null,
      },
      share_replies: true,
    });
    await run(id);
    await target.stop();
    const own = await showOwnRun(actingAs(ctx, agent), { runId: id, withCases: true });
    const trials = own.cases?.flatMap((one) => one.trials) ?? [];
    expect(trials.flatMap(({ error_response: shown }) => shown ?? [])).toEqual([response]);
    const key = { owner: owner.handle, name: 'words', runId: id };
    const read = await showSuiteRun(actingAs(ctx, owner), { ...key, filter: {}, limit: 20, cursor: null });
    expect(read.cases.items).toHaveLength(5);
    expect(JSON.stringify(read.cases.items)).not.toContain('Out of');
  });
});
