/** What a target sent instead of a reply: kept with its case and shown to the owner of the run. */
import { expect, test } from 'bun:test';
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
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import {
  carryOut,
  createTestRunner,
  plainRunSize,
  redeemPaid,
  runToEnd,
  type TestRunner,
  useEvalRunner,
  useTestRunner,
} from '#test/harness/eval-runs.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { onStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { startTarget, targetAt, type TestTarget } from '#test/harness/target.ts';
import { writeDetails } from '#evals/report/details.ts';
import { encryptHeaders } from '#domain/runs/encrypt-headers.ts';
import { readAgentRun, startPushedRun } from '#test/harness/agent-runs.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { startToolTarget, textReply, toolCallsReply } from '#test/harness/tool-target.ts';
import { plainTarget } from '#domain/runs/read-order.ts';
import { type FailingTarget, failingTargets, mistakenForms, startFailingTarget } from './failing-targets.ts';

const redis = useTestRedis();

const key = 'sk-live-7f2Qx93b';
const headers = { authorization: `Bearer ${key}` };
const forms = [key, key.toUpperCase(), Buffer.from(key).toString('base64')];
const echo = `Bearer ${forms.join(', ')}`;

function expectNoSecret(value: unknown): void {
  const text = JSON.stringify(value);
  expect(text).toContain('[redacted]');
  for (const form of forms) expect(text.toLowerCase()).not.toContain(form.toLowerCase());
}

const body = `<b>Out of\n*order*</b> ${'x'.repeat(600)}`;
const response = { status: 404, excerpt: body.slice(0, 500) };

/** Responds with an error to one call. */
function startMissing(failing: number): TestTarget {
  const isMissing = (): boolean => target.calls.length === failing;
  const target = startTarget(() => (isMissing() ? new Response(body, { status: 404 }) : 'hello'));
  return target;
}

/** Expects one trial with the response. */
function expectShown(cases: Awaited<ReturnType<typeof showOwnRun>>['cases']): void {
  const trials = cases?.flatMap((one) => one.trials) ?? [];
  expect(trials.flatMap(({ error_response: shown }) => shown ?? [])).toEqual([response]);
}

onStore('sqlite', (store) => {
  const { ctx, runner } = useEvalRunner(store, redis);

  test('a failed case of an eval run shows the status and the beginning of the body, in its cases, page and Markdown', async () => {
    await using target = startMissing(4);
    const { agent, runId } = await redeemPaid(ctx, target.url);
    await carryOut(runner, runId);
    const as = actingAs(ctx, agent);
    const { cases, run: ended } = await showOwnRun(as, { runId, withCases: true });
    expectShown(cases);
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
    expect(
      JSON.stringify(await shareCases(as, ended, { withTexts: false, limit: 100, cursor: null })),
    ).not.toContain('Out of');
  });

  test('a failed trial of a suite run shows them to its agent, but not to the owner of the suite', async () => {
    const [owner, agent] = [await createTestAgent(ctx), await createTestAgent(ctx, { tokens: 4 })];
    const ids = ['one', 'two', 'three', 'four', 'five'];
    const cases = ids.map((id) => ({ id, prompt: id, expect: [{ matches: '.' }] }));
    await publishTestSuite(actingAs(ctx, owner), { suite: 1, name: 'words', cases });
    await updateSuite(actingAs(ctx, owner), { owner: owner.handle, name: 'words', visibility: 'open' });
    await using target = startMissing(2);
    const { id } = await orderSuiteRun(actingAs(ctx, agent), `@${owner.handle}/words`, {
      target: targetAt(target.url),
      share_replies: true,
    });
    await carryOut(runner, id);
    const own = await showOwnRun(actingAs(ctx, agent), { runId: id, withCases: true });
    expectShown(own.cases);
    const key = { owner: owner.handle, name: 'words', runId: id };
    const read = await showSuiteRun(actingAs(ctx, owner), { ...key, filter: {}, limit: 20, cursor: null });
    expect(read.cases.items).toHaveLength(5);
    expect(JSON.stringify(read.cases.items)).not.toContain('Out of');
  });

  /** A target that repeats its secret headers does not make the hub store or show them. */
  async function runAgainst(reply: Parameters<typeof startTarget>[0]) {
    await using target = startTarget(reply);
    const { agent, runId } = await redeemPaid(ctx, target.url, {
      target: { ...plainTarget, header_names: ['authorization'] },
      targetHeaders: encryptHeaders(testSecretKey, headers),
    });
    const run = await runToEnd(runner, runId);
    return { run, as: actingAs(ctx, agent) };
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
    expect(run.job).toMatchObject({ status: 'failed', targetHeaders: null });
    expectNoSecret(run.job);
  });

  test('the calls and texts of an agent run have none', async () => {
    await using target = startToolTarget(null, ({ call }) =>
      call === 1 ? toolCallsReply([{ tool: `send ${key}`, args: { to: echo } }], echo) : textReply(echo),
    );
    const agent = await createTestAgent(ctx, { tokens: 2, freeAgentRunTaken: true });
    const { run, job } = await startPushedRun(actingAs(ctx, agent), target.url, { headers });
    await pushRun(runner, job);
    const kept = await readAgentRun(ctx, run.id);
    expectNoSecret([kept.open, kept.tasks, kept.run]);
  });
});

/** Long enough for the head of a response on a busy machine. */
const impatientMs = 3_000;

const resolve = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));

onStore('sqlite', (store) => {
  const ctx = useTestCtx(store, { targetAddresses: createAddressPolicy(['loopback']) });
  const limits = { answerTimeoutMs: impatientMs };
  const runners = {
    patient: useTestRunner(() => createTestRunner(ctx, redis.url, { resolve })),
    impatient: useTestRunner(() => createTestRunner(ctx, redis.url, { limits })),
  };

  /** Functions that redeem a run for a token and carry it out. */
  const products = {
    'eval-run': async (url: string, runner: TestRunner) => {
      const { runId } = await redeemPaid(ctx, url);
      const { job, account, entries } = await runToEnd(runner, runId);
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
    expect([run.status, run.chargeState, account.balance]).toEqual(['failed', 'refunded', 2]);
    expect(entries.map(({ kind }) => kind).toSorted()).toEqual(['refund', 'spend']);
  }

  // All at once, because the slow ones only wait.
  test('every kind of failing target is explained', async () => {
    await Promise.all([
      ...[...failingTargets, mistakenForms['eval-run']].map((one) => expectExplained('eval-run', one)),
      expectExplained('agent-run', mistakenForms['agent-run']),
    ]);
  });
});
