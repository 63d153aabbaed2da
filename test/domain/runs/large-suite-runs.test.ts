/** Runs of the largest suites, on both stores: no request does work in proportion to the replies before it. */
import { expect, test } from 'bun:test';
import { rowsOnSqlite } from '#test/harness/count-statements.ts';
import { withTransaction } from '#domain/context.ts';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { exportRun } from '#domain/runs/export-run.ts';
import { findOwnRun, listProgress, progressMax } from '#domain/runs/find-run.ts';
import { claimRun } from '#domain/runs/hold-run.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { leasedMax } from '#domain/runs/pull/pull-run.ts';
import { runLeaseMs } from '#domain/runs/run-limits.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { storeProgress } from '#domain/runs/store-items.ts';
import { pruneItems } from '#domain/runs/sweep-runs.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { eraseAll } from '#test/harness/erase-all.ts';
import { answerEach, answerPulled, carryOut, createTestRunner } from '#test/harness/eval-runs.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { startTarget, targetAt } from '#test/harness/target.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { codeOf } from '../outcomes.ts';

const redis = useTestRedis();

/** A reply as it is stored. */
const replied = {
  trial: 1,
  status: 'passed',
  score: 1,
  graders: [],
  response_text: 'hello',
  error_code: null,
  attempts: 1,
  latency_ms: 10,
} as const;

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const as = useAgentCtx(ctx, { tokens: 5_000 });
  const ada = as.agent;

  /** A run in pull mode of `cases` cases. */
  async function order(cases: number, trials: number): Promise<RunRow> {
    const name = `large-${cases}-${trials}-${Bun.randomUUIDv7().slice(-6)}`;
    const all = Array.from({ length: cases }, (_, at) => ({
      id: `case-${at}`,
      prompt: `Say ${at}.`,
      expect: [{ equals: `${at}` }],
    }));
    await publishTestSuite(as, { suite: 1, name, defaults: { trials }, cases: all });
    return orderSuiteRun(as, `@${ada.handle}/${name}`);
  }

  /** Records the first `count` items after one fetch, as answers would. */
  async function recordFirst(run: RunRow, cases: number, count: number): Promise<void> {
    const { cases: fetched } = await handOutCases(as, { runId: run.id, limit: 8 });
    await answerEach(as, run.id, fetched, ({ index }) => `${index}`);
    const results = Array.from({ length: count - fetched.length }, (_, at): StoredTrial => {
      const index = fetched.length + at;
      const place = index % cases;
      const graders = [{ name: 'equals', passed: true, expected: `${place}`, found: `${place}` }];
      const trial = 1 + Math.floor(index / cases);
      return { ...replied, index, case_id: `case-${place}`, trial, graders, response_text: `${place}` };
    });
    await storeAll({ ...run, progressDone: fetched.length }, results);
  }

  async function storeAll(run: RunRow, results: readonly StoredTrial[]): Promise<void> {
    const progress = results.map((result) => ({ result, isBegun: false }));
    await withTransaction(ctx, (inner) => storeProgress(inner, [{ run, progress }]));
  }

  test('the last of 4,800 replies completes the run, with the figures of all', async () => {
    const run = await order(600, 8);
    await recordFirst(run, 600, 4_799);
    const { cases } = await handOutCases(as, { runId: run.id, limit: 8 });
    expect(cases.map(({ caseId }) => caseId)).toEqual(['case-599/8']);
    const answers = [{ caseId: 'case-599/8', text: 'wrong' }];
    expect(await answerPulled(as, run.id, answers)).toMatchObject({ accepted: 1, remaining: 0, ended: true });
    const { run: ended, result } = await showOwnRun(as, { runId: run.id });
    expect(ended).toMatchObject({ status: 'completed', progressDone: 4_800, chargeTokens: 120 });
    expect(result).toMatchObject({ flaky: ['case-599'], pass_k: { k: 8 }, ungraded: 0 });
  });

  test('a run against a target completes though more than a thousand replies wait for judges', async () => {
    const expectation = [{ judge: 'tone' }];
    const ids = Array.from({ length: 1_300 }, (_, at) => `case-${at}`);
    const judged = ids.map((id) => ({ id, prompt: id, expect: expectation }));
    const judges = { tone: { rubric: 'Polite.' } };
    await publishTestSuite(as, { suite: 1, name: 'judged', judges, cases: judged });
    await using target = startTarget(() => 'hello');
    const rules = { ...ctx.rules, targetAddresses: createAddressPolicy(['loopback']) };
    const ordered = { target: targetAt(target.url) };
    const run = await orderSuiteRun({ ...as, rules }, `@${ada.handle}/judged`, ordered);
    // As a runner that has died leaves it.
    await claimRun(ctx, { runId: run.id });
    const judging = { shares: [null], tries: [] };
    const waiting = { ...replied, status: 'error', score: 0, error_code: 'not_judged', judging } as const;
    const results = ids.slice(0, -1).map((id, index) => ({ ...waiting, index, case_id: id }));
    await storeAll({ ...run, attempt: 1 }, results);
    ctx.clock.advance(runLeaseMs);
    using runner = createTestRunner(ctx, redis.url);
    await carryOut(runner, run.id);
    const { run: ended, result } = await showOwnRun(as, { runId: run.id });
    expect([ended.status, ended.progressDone, result?.judged?.open]).toEqual(['completed', 1_300, 1_300]);
  });

  test('cancelling a run with 15,992 open items stores them all', async () => {
    const run = await order(2_000, 8);
    await recordFirst(run, 2_000, 8);
    expect(await cancelRun(as, { runId: run.id })).toMatchObject({
      status: 'completed',
      progressDone: 8,
      cancelled: true,
    });
    expect(await rowsOf(ctx, 'runItems', { runId: run.id })).toHaveLength(16_000);
  });

  test('an export of several parts is in order, and fails if the replies are deleted meanwhile', async () => {
    const run = await order(600, 2);
    await recordFirst(run, 600, 650);
    await cancelRun(as, { runId: run.id });
    const exported = await exportRun(as, await findOwnRun(as, { runId: run.id }));
    const items = await Array.fromAsync(exported.items());
    expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 600 }, (_, at) => `case-${at}`));
    expect(items.every(({ trials }) => trials[0]?.trial === 1 && trials[1]?.trial === 2)).toBe(true);
    const read: string[] = [];
    const reading = (async () => {
      for await (const { id } of exported.items()) {
        if (read.length === 0) await deleteReplies();
        read.push(id);
      }
    })();
    expect(await codeOf(reading)).toBe('gone');
    expect(read.length).toBeLessThan(600);
  });

  /** Of all runs, as at the end of their retention. */
  async function deleteReplies(): Promise<void> {
    const later = { now: () => new Date(ctx.clock.now().getTime() + 2 * 86_400_000) };
    for (let pruned = 1; pruned > 0;)
      pruned = await pruneItems({ ...ctx, clock: later }, { retentionDays: 1 });
    await eraseAll({ ...ctx, clock: later });
  }

  test('progress is read in pages', async () => {
    const run = await order(1_100, 1);
    await recordFirst(run, 1_100, 1_050);
    const pages: number[] = [];
    for (let after = 0; ;) {
      const page = await listProgress(as, { runId: run.id, after });
      pages.push(page.length);
      expect(page[0]).toMatchObject({ position: after + 1, answered: true });
      after += page.length;
      if (page.length < progressMax) break;
    }
    expect(pages).toEqual([progressMax, progressMax, 50]);
  });

  test('an agent that leases without answering is stopped at a bound, and goes on once it answers', async () => {
    const run = await order(1_200, 1);
    const leased = new Map<string, number>();
    for (let worker = 0; ; worker += 1) {
      const { cases, noneNew } = await handOutCases(as, { runId: run.id, limit: 8, worker: `w${worker}` });
      for (const { caseId, index } of cases) leased.set(caseId, index);
      if (cases.length > 0) continue;
      expect(noneNew).toMatchObject({ leased: leasedMax, reason: expect.stringContaining('at most 1000') });
      break;
    }
    expect(leased.size).toBe(leasedMax);
    const [[caseId, index] = ['', 0]] = leased;
    await answerPulled(as, run.id, [{ caseId, text: `${index}` }]);
    const { cases } = await handOutCases(as, { runId: run.id, limit: 8, worker: 'late' });
    expect(cases.map((one) => one.index)).toEqual([leasedMax]);
  });

  if (store.dialect !== 'sqlite') return;
  test('a fetch and an answer read as many rows after 3,900 replies as after 100', async () => {
    async function rowsAfter(count: number): Promise<number> {
      const run = await order(2_000, 2);
      await recordFirst(run, 2_000, count);
      const before = rowsOnSqlite();
      const { cases } = await handOutCases(as, { runId: run.id, limit: 4 });
      expect((await answerEach(as, run.id, cases, ({ index }) => `${index}`)).accepted).toBe(4);
      return rowsOnSqlite() - before;
    }
    const early = await rowsAfter(100);
    expect(early).toBeGreaterThan(8);
    expect(await rowsAfter(3_900)).toBe(early);
    expect(early).toBeLessThan(100);
  });
});
