/** The comparison of two eval runs over HTTP, on both stores. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { suiteVersion } from '#evals/suite/suite-version.ts';
import { startAgentRun } from '#test/harness/agent-runs.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import type { BookedTurn } from '#test/harness/answer-book.ts';
import { completeRun, createTestRunner, redeem, type TestRunner } from '#test/harness/eval-runs.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { forEachStore } from '#test/harness/stores.ts';

const silentIn =
  (silent: string) =>
  ({ planned, best }: BookedTurn): string =>
    planned.category === silent ? 'I do not know.' : best;

const names = (figures: readonly { name: string; outcome: string }[], outcome: string): string[] =>
  figures.filter((figure) => figure.outcome === outcome).map(({ name }) => name);

forEachStore((store) => {
  let hub: TestHub;
  let runner: TestRunner;
  let agent: TestAgent;
  let stranger: TestAgent;
  let before: string;
  let after: string;

  beforeAll(async () => {
    hub = await startTestHub({ store });
    runner = createTestRunner(hub.ctx, hub.redisUrl);
    agent = await createTestAgent(hub.ctx, { tokens: 20 });
    stranger = await createTestAgent(hub.ctx);
    before = await completeRun(runner, agent.id, silentIn('context'));
    hub.clock.advance(1_000);
    after = await completeRun(runner, agent.id, silentIn('security'));
  });
  afterAll(async () => {
    runner.close();
    await hub.close();
  });

  const compare = (one: string, other: string, as: TestAgent = agent) =>
    hub.fetch(`/v1/eval-jobs/${one}/compare/${other}`, { token: as.bearerToken });
  const report = (one: string, baseline: string) =>
    hub.fetch(`/v1/runs/${one}/report?baseline=${baseline}`, { token: agent.bearerToken });

  test('is Markdown on request, and refuses a run against itself', async () => {
    const path = `/v1/eval-jobs/${before}/compare/${after}`;
    const asked = await hub.fetch(`${path}?format=md`, { token: agent.bearerToken });
    expect([asked.status, asked.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(asked.text).toMatch(/^# [\d.]+ → [\d.]+: [+-][\d.]+ points\n/);
    expect(asked.text).toContain('\n| security | ');
    const accepted = { token: agent.bearerToken, headers: { accept: 'text/markdown' } };
    expect((await hub.fetch(path, accepted)).text).toBe(asked.text);
    const itself = await compare(before, before);
    expectError(itself, 400, 'invalid_parameter');
    expect(itself.body.message).toBe('A run cannot be compared with itself.');
    expectError(await compare(before, before, stranger), 404, 'eval_job_not_found');
  });

  test('reports what improved and what got worse, in the score and each category', async () => {
    const { status, body } = await compare(before, after);
    expect(status).toBe(200);
    const { comparison } = body;
    expect(comparison.suite).toEqual({ name: 'eval-run', version: suiteVersion });
    expect([comparison.before.id, comparison.after.id]).toEqual([before, after]);
    const { score, flags, categories } = comparison;
    expect(score.change).toBeCloseTo(score.after - score.before, 5);
    expect(score.interval.low).toBeLessThan(score.change);
    expect(score.interval.high).toBeGreaterThan(score.change);
    expect(score.p).toBeWithin(0, 1);
    expect(score.detectable).toBeGreaterThan(0);
    expect(categories).toHaveLength(9);
    expect(names(categories, 'better')).toEqual(['context']);
    expect(names(categories, 'worse')).toEqual(['security']);
    expect(categories.find(({ name }: { name: string }) => name === 'security')).toMatchObject({
      clear: true,
      flagged: false,
    });
    expect(flags).toMatchObject({ method: 'holm', available: false });
    expect(flags.reason).toContain('120');
  });

  test('treats the first id as the baseline, whichever run is older', async () => {
    const [forward, back] = [await compare(before, after), await compare(after, before)];
    expect(back.body.comparison.before.id).toBe(after);
    expect(back.body.comparison.score.change).toBe(-forward.body.comparison.score.change);
  });

  test('pools the runs between the two with the newer one, and rejects other packs and products', async () => {
    hub.clock.advance(1_000);
    const later = await completeRun(runner, agent.id, silentIn('security'));
    const [alone, pooled] = [await compare(before, later), await compare(before, `${later}?pool=true`)];
    expect(pooled.body.comparison).toMatchObject({
      before: { id: before, pooled: [] },
      after: { id: later, pooled: [after] },
    });
    const widthOf = ({ body }: typeof alone) => {
      const { low, high } = body.comparison.score.interval;
      return high - low;
    };
    expect(widthOf(pooled)).toBeLessThan(widthOf(alone));
    const agentRun = await startAgentRun({ ...hub.ctx, agent });
    expectError(await compare(before, agentRun.id), 409, 'product_mismatch');
    expectError(await report(before, agentRun.id), 400, 'invalid_parameter');
  });

  test('refuses runs of different versions', async () => {
    const old = await completeRun(runner, agent.id);
    await hub.db.transaction(async (tx) => {
      const { runs } = tx.tables;
      await tx.query.update(runs).set({ suiteVersion: '1' }).where(eq(runs.id, old));
    });
    expectError(await compare(old, after), 409, 'suite_version_mismatch');
    expectError(await report(after, old), 409, 'suite_version_mismatch');
  });

  test('a ranked run counts on the leaderboard even if its target fails, and is not refunded', async () => {
    const [able, broken] = [
      await createTestAgent(hub.ctx, { tokens: 2 }),
      await createTestAgent(hub.ctx, { tokens: 2 }),
    ];
    await completeRun(runner, able.id, undefined, { ranked: true });
    const failing = () => new Response('no', { status: 500 });
    const id = await completeRun(runner, broken.id, failing, { ranked: true });
    const { body: run } = await hub.fetch(`/v1/eval-jobs/${id}`, { token: broken.bearerToken });
    expect(run.eval_job).toMatchObject({ score: 0, charge: { tokens: 1, state: 'consumed' } });
    const board = await hub.fetch('/v1/leaderboard');
    expect(board.status).toBe(200);
    expect(board.body).toMatchObject({
      product: 'eval-run',
      suite_version: suiteVersion,
      entries: [
        { rank: null, provisional: true, agent_handle: able.handle, score: 100, runs: 1, tie_with: [] },
        { rank: null, agent_handle: broken.handle, score: 0, interval: { low: 0 }, level: { value: 0 } },
      ],
      next_cursor: null,
    });
    expectError(await hub.fetch('/v1/leaderboard?suite_version=99'), 400, 'invalid_parameter');
    const earlier = await hub.fetch('/v1/leaderboard?product=agent-run&suite_version=3');
    expect([earlier.status, earlier.body]).toMatchObject([200, { entries: [] }]);
    expectError(await hub.fetch('/v1/leaderboard?product=nothing'), 400, 'invalid_parameter');
  });

  describe('rejects', () => {
    test("another agent's run, on either side, as if it did not exist", async () => {
      const own = await completeRun(runner, stranger.id);
      for (const response of [await compare(own, before, stranger), await compare(before, own, stranger)]) {
        expectError(response, 404, 'eval_job_not_found');
        expect(response.body.message).toContain(before);
      }
    });

    test('an unknown id and a malformed one', async () => {
      expectError(await compare(before, crypto.randomUUID()), 404, 'eval_job_not_found');
      expectError(await compare(before, 'first'), 400, 'invalid_parameter');
      expectError(await compare('first', before), 400, 'invalid_parameter');
    });

    test('a missing token', async () => {
      const response = await hub.fetch(`/v1/eval-jobs/${before}/compare/${after}`);
      expectError(response, 401, 'missing_token');
    });

    test('a queued run and a failed run', async () => {
      const { evalRun } = await redeem(hub.ctx, agent.id, 'http://127.0.0.1:9/');
      const failed = await completeRun(runner, agent.id, () => new Response('no', { status: 500 }));
      for (const [id, status] of [
        [evalRun.id, 'queued'],
        [failed, 'failed'],
      ] as const) {
        const response = await compare(before, id);
        expectError(response, 409, 'eval_job_not_completed');
        expect(response.body.message).toBe(`Run ${id} is ${status}. Only completed runs can be compared.`);
      }
    });
  });
});
