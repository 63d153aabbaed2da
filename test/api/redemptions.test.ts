/**
 * Redemptions over HTTP, on both stores: what is accepted, what is rejected, and that nothing is charged
 * twice.
 */
import { plainRunSize } from '#test/harness/eval-runs.ts';
import { expect, test } from 'bun:test';
import { claimRun } from '#domain/runs/hold-run.ts';
import { settleRun } from '#domain/runs/settle-run.ts';
import { openDatabase } from '#db/open-database.ts';
import { checkName, checkVersion } from '#evals/health/health-check.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { startTestHub, useTestHub } from '#test/harness/hub.ts';
import { changeRows, rowOf, rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { decryptHeaders } from '#domain/runs/encrypt-headers.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';

const target = 'http://127.0.0.1:9/agent';
const plain = { product: 'eval-run', target_url: target };
const longUrl = (length: number) => 'http://example.org/'.padEnd(length, 'a');

forEachStore((store) => {
  const hub = useTestHub({ store });

  const redeem = (agent: TestAgent, json: object = plain, at = hub) =>
    at.fetch('/v1/redemptions', { token: agent.bearerToken, json });
  const runsOf = async (agent: TestAgent) =>
    (await hub.fetch('/v1/eval-jobs', { token: agent.bearerToken })).body.eval_jobs;
  const entriesOf = (agent: TestAgent) => rowsOf(hub, 'tokenEntries', { agentId: agent.id });

  /** Fails a run, as the runner does. */
  async function fail(runId: string): Promise<void> {
    const claim = await claimRun(hub.ctx, { runId });
    if (claim.state !== 'claimed') throw new Error(`not claimed: ${claim.state}`);
    const outcome = { kind: 'failed', code: 'target_unreachable', message: 'x' } as const;
    await settleRun(hub.ctx, { runId, attempt: claim.run.attempt, outcome, jobId: null });
  }

  test('the first redemption is free and enqueued; the second costs a token, charged at once', async () => {
    const agent = await createTestAgent(hub.ctx, { tokens: 2 });
    const announcedBefore = hub.published.length;
    const first = await redeem(agent);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      redemption: { product: 'eval-run', target_url: target, cost: 0, free: true },
      eval_job: {
        status: 'queued',
        charge: { tokens: 0, free: true, state: 'held' },
        progress: { done: 0, total: plainRunSize },
        suite: { name: checkName, version: checkVersion, seed: null },
      },
      balance: 2,
    });
    expect(first.body.eval_job.redemption_id).toBe(first.body.redemption.id);
    const second = await redeem(agent);
    expect(second.body).toMatchObject({ redemption: { cost: 1, free: false }, balance: 1 });
    expect(hub.published.slice(announcedBefore).map((notice): unknown => notice.payload)).toEqual(
      [first, second].map(({ body, headers }) => ({
        runId: body.eval_job.id,
        cause: { requestId: headers.get('x-request-id') },
      })),
    );
    const spends = (await entriesOf(agent)).filter((entry) => entry.kind === 'spend');
    expect(spends).toMatchObject([{ amount: -1, balanceAfter: 1, reference: second.body.redemption.id }]);
  });

  test('without a token and without the free run it is 402 and changes nothing', async () => {
    const agent = await createTestAgent(hub.ctx, { freeEvalTaken: true });
    expectError(await redeem(agent), 402, 'insufficient_tokens');
    expect([await entriesOf(agent), await runsOf(agent)]).toEqual([[], []]);
  });

  test('an unknown product, a wrong target and wrong headers are refused without a charge; a URL may have 2,000 characters', async () => {
    const agent = await createTestAgent(hub.ctx, { tokens: 5 });
    const wrongHeaders = [
      { host: 'x' },
      { 'Content-Type': 'x' },
      { 'proxy-x': 'x' },
      { a: 'x\r\ny' },
      { 'a b': 'x' },
      { a: 'x', A: 'y' },
      { a: '' },
      Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, 'x'])),
    ];
    const wrong: readonly (readonly [object, string])[] = [
      [{ product: 'eval', target_url: target }, 'product_not_available'],
      [{ target_url: 'agent' }, 'invalid_target_url'],
      [{ target_url: longUrl(2_001) }, 'invalid_target_url'],
      [{ target: { url: 'agent' } }, 'invalid_target_url'],
      [{ target_url: target, target: { url: target } }, 'invalid_body'],
      ...wrongHeaders.map((headers) => [{ target: { url: target, headers } }, 'invalid_body'] as const),
    ];
    for (const [order, code] of wrong) {
      const { status, body } = await redeem(agent, { product: 'eval-run', ...order });
      expect([order, status, body.error]).toEqual([order, 400, code]);
    }
    expect(await runsOf(agent)).toEqual([]);
    expect((await entriesOf(agent)).map(({ kind }) => kind)).toEqual(['grant']);
    expect((await redeem(agent, { ...plain, target_url: longUrl(2_000) })).status).toBe(200);
  });

  test('a sixth open job is 429 with Retry-After, and is accepted once one has ended', async () => {
    const agent = await createTestAgent(hub.ctx, { tokens: 10 });
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) ids.push((await redeem(agent)).body.eval_job.id);
    const sixth = await redeem(agent);
    expectError(sixth, 429, 'too_many_open_jobs');
    expect(sixth.body.hint).toContain('GET /v1/runs lists them');
    expect(Number(sixth.headers.get('retry-after'))).toBeGreaterThan(0);
    await fail(ids[0]!);
    expect((await redeem(agent)).status).toBe(200);
  });

  test('after too many calls in runs that failed, the next run is 429 with Retry-After', async () => {
    const agent = await createTestAgent(hub.ctx, { tokens: 10 });
    const { id } = (await redeem(agent)).body.eval_job;
    await changeRows(hub, 'runs', { id }, { progressDone: 5_000 });
    await fail(id);
    const refused = await redeem(agent);
    expectError(refused, 429, 'too_many_failed_runs');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('concurrent requests through two processes open five jobs and no more', async () => {
    const agent = await createTestAgent(hub.ctx, { tokens: 20 });
    const otherDb = await openDatabase(store.setting);
    const other = await startTestHub({ store: { db: otherDb }, clock: hub.clock });
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, i) => redeem(agent, plain, i % 2 === 0 ? hub : other)),
    );
    const statuses = responses.map((response) => response.status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([...Array<number>(5).fill(200), ...Array<number>(35).fill(429)]);
    const spends = (await entriesOf(agent)).filter((entry) => entry.kind === 'spend');
    expect(spends).toHaveLength(4); // One of the five is the free run.
    await other.close();
    await otherDb.close();
  });

  test('a target with secret headers is shown without their values', async () => {
    const agent = await createTestAgent(hub.ctx, { tokens: 1 });
    const headers = { Authorization: 'Bearer very-secret', cookie: 'a=b' };
    const chosen = { url: target, protocol: 'openai-chat', model: 'm', concurrency: 2, timeout_s: 30 };
    const { text, body } = await redeem(agent, { product: 'eval-run', target: { ...chosen, headers } });
    const shown = { ...chosen, header_names: ['authorization', 'cookie'] };
    expect(body.eval_job).toMatchObject({ mode: 'push', target_url: target, target: shown, ranked: false });
    expect(text).not.toContain('very-secret');
    const row = await rowOf(hub, 'runs', { id: body.eval_job.id });
    expect(JSON.stringify(row)).not.toContain('very-secret');
    expect(decryptHeaders(testSecretKey, row.targetHeaders!)).toEqual(headers);
  });

  test('a ranked run, and a run that may wait longer than 60 s for a reply, are never free', async () => {
    const agent = await createTestAgent(hub.ctx, { tokens: 1 });
    const ranked = await redeem(agent, { ...plain, ranked: true });
    expect(ranked.body).toMatchObject({ redemption: { free: false, cost: 1 }, eval_job: { ranked: true } });
    const patient = { product: 'eval-run', target: { url: target, timeout_s: 61 } };
    const poor = await createTestAgent(hub.ctx);
    const long = await redeem(await createTestAgent(hub.ctx, { tokens: 2 }), { ...plain, size: 'long' });
    expect(long.body).toMatchObject({ redemption: { cost: 2 }, eval_job: { size: 'long' }, balance: 0 });
    expectError(await redeem(agent, { ...plain, size: 'huge' }), 400, 'invalid_body');
    for (const [order, why] of [
      [patient, 'a run with `timeout_s` above 60 never is (yours has 61).'],
      [{ product: 'eval-run', size: 'long' }, 'a run with `size: long` never is.'],
      [{ product: 'agent-run', ranked: true }, 'a ranked run never is.'],
    ] as const) {
      const refused = await redeem(poor, order);
      expectError(refused, 402, 'insufficient_tokens');
      expect(refused.body.message).toEndWith(`Your first \`${order.product}\` is free, but ${why}`);
    }
    expectError(await redeem(agent, patient), 402, 'insufficient_tokens');
    expect((await redeem(agent)).body.redemption.free).toBe(true);
    const later = await redeem(agent, patient);
    expectError(later, 402, 'insufficient_tokens');
    expect(later.body.message).toBe('This costs 1 token(s), but your balance is 0.');
  });
});
