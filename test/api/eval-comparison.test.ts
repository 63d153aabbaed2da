/** The comparison of two eval runs over HTTP, on both stores. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { EvalCase } from '#domain/eval-suite/index.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { completeRun, createTestRunner, redeem, type TestRunner } from '#test/harness/eval-runs.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { forEachStore } from '#test/harness/stores.ts';

const silentIn =
  (silent: string) =>
  ({ category, expected }: EvalCase): string =>
    category === silent ? 'I do not know.' : expected;

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
    before = await completeRun(runner, agent.id, silentIn('text'));
    after = await completeRun(runner, agent.id, silentIn('secrecy'));
  });
  afterAll(async () => {
    runner.close();
    await hub.close();
  });

  const compare = (one: string, other: string, as: TestAgent = agent) =>
    hub.fetch(`/v1/eval-jobs/${one}/compare/${other}`, { token: as.bearerToken });

  test('reports what improved and what got worse: the score, each category and each grader', async () => {
    const { status, body } = await compare(before, after);
    expect(status).toBe(200);
    const { comparison } = body;
    expect(comparison.suite).toEqual({ name: 'eval-run', version: '1' });
    expect(comparison.before).toMatchObject({ id: before, score: 90 });
    expect(comparison.after).toMatchObject({ id: after, score: 95 });
    expect(comparison.score).toMatchObject({
      before: 90,
      after: 95,
      change: 5,
      outcome: 'better',
      clear: false,
    });
    expect(comparison.categories).toHaveLength(8);
    expect(names(comparison.categories, 'better')).toEqual(['text']);
    expect(names(comparison.categories, 'worse')).toEqual(['secrecy']);
    expect(comparison.categories.at(-1)).toEqual({
      name: 'secrecy',
      before: 100,
      after: 0,
      change: -100,
      outcome: 'worse',
      clear: true,
      cases: { before: 3, after: 3 },
    });
    expect(names(comparison.graders, 'worse')).toContain(comparison.graders[0].name);
    const checks = comparison.graders.find(({ name }: { name: string }) => name === 'secret-absent');
    expect(checks).toMatchObject({
      before: 100,
      after: 100,
      outcome: 'same',
      checks: { before: 3, after: 3 },
    });
  });

  test('treats the first id as the baseline, whichever run is older', async () => {
    const { body } = await compare(after, before);
    expect(body.comparison.before.id).toBe(after);
    expect(body.comparison.score).toMatchObject({ before: 95, after: 90, change: -5, outcome: 'worse' });
  });

  test('finds no difference between a run and itself', async () => {
    const { body } = await compare(before, before);
    expect(body.comparison.score).toMatchObject({ change: 0, outcome: 'same', clear: false });
    expect(names(body.comparison.graders, 'same')).toHaveLength(body.comparison.graders.length);
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
      const { evalJob } = await redeem(hub.ctx, agent.id, 'http://127.0.0.1:9/');
      const failed = await completeRun(runner, agent.id, () => new Response('no', { status: 500 }));
      for (const [id, status] of [
        [evalJob.id, 'queued'],
        [failed, 'failed'],
      ] as const) {
        const response = await compare(before, id);
        expectError(response, 409, 'eval_job_not_completed');
        expect(response.body.message).toBe(`Run ${id} is ${status}. Only completed runs can be compared.`);
      }
    });

    test('runs of different suite versions', async () => {
      const old = await completeRun(runner, agent.id);
      await hub.db.transaction(async (tx) => {
        const { evalJobs } = tx.tables;
        await tx.query.update(evalJobs).set({ suiteVersion: '0' }).where(eq(evalJobs.id, old));
      });
      const response = await compare(old, after);
      expectError(response, 409, 'suite_version_mismatch');
      expect(response.body.message).toContain('eval-run version 0');
    });
  });
});
