/** Cancelling eval runs on both stores: the charge, the open cases, and races with everything else that ends a run. */
import { expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { claimRun } from '#domain/runs/hold-run.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { recordItems } from '#domain/runs/store-items.ts';
import { settleRun } from '#domain/runs/settle-run.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx, useTestCtx } from '#test/harness/ctx.ts';
import {
  answerPulled,
  finishPulled,
  plainRunSize,
  readPulledRun,
  redeem,
  answerEach,
  claimTestRun,
  completedWith,
} from '#test/harness/eval-runs.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { codeOf, tally, expectNoDrift } from '../../../outcomes.ts';
import { openTwoProcesses } from '../../../two-processes.ts';
import { trialInError } from '#domain/runs/cases/trials.ts';

forEachStore((store) => {
  const race = openTwoProcesses(store);
  const ctx = useTestCtx(store);

  async function startRun({ url = null, ranked = false }: { url?: string | null; ranked?: boolean } = {}) {
    const agent = await createTestAgent(ctx, { tokens: 2, freeEvalTaken: true });
    const { evalRun } = await redeem(ctx, agent.id, url, { ranked });
    return { as: actingAs(ctx, agent), agent, runId: evalRun.id };
  }

  const wrong = [0, 1].map((index) => {
    const item = { index, trial: 1, suiteCase: { id: `word-${index + 1}`, expect: [] } };
    const reply = { status: 'failed' as const, error_code: null, response_text: 'x' };
    return { ...trialInError(item, '', { attempts: 1 }), ...reply };
  });
  const record = (one: Ctx, result: (typeof wrong)[number], runId: string, attempt: number) =>
    recordItems(one, [{ runId, attempt, progress: { result, isBegun: false }, delayedMs: 0, calls: 1 }]);
  const timedOut = { kind: 'failed', code: 'target_timeout', message: 'No reply.' } as const;

  test('before its first case was fetched or sent, a cancelled run fails and is refunded, also when ranked', async () => {
    for (const order of [{}, { url: 'http://127.0.0.1:9/' }, { ranked: true }]) {
      const { as, runId } = await startRun(order);
      const ended = await cancelRun(as, { runId });
      const refunded = { status: 'failed', failureCode: 'cancelled', chargeState: 'refunded' };
      expect(ended).toMatchObject({ ...refunded, cancelled: true });
      expect(await cancelRun(as, { runId })).toEqual(ended);
      expect((await readPulledRun(ctx, runId)).balance).toBe(2);
    }
    await expectNoDrift(ctx);
  });

  test('after it began, a cancelled pull run is completed, charged and on the leaderboard, and open cases score 0', async () => {
    const { as, agent, runId } = await startRun({ ranked: true });
    const { cases } = await handOutCases(as, { runId, limit: 8 });
    await finishPulled(as, runId, cases[0]!.caseId, 'no');
    const ended = await cancelRun(as, { runId });
    const charged = { status: 'completed', failureCode: null, chargeState: 'consumed' };
    expect(ended).toMatchObject({ ...charged, cancelled: true, progressDone: 1 });
    const run = await readPulledRun(ctx, runId);
    expect([run.balance, run.positions.length]).toEqual([1, plainRunSize]);
    const open = run.cases.filter(({ index }) => index !== cases[0]!.index);
    const unasked = { status: 'error', score: 0, error_code: 'cancelled' };
    expect(open).toMatchObject(open.map(() => unasked) as never[]);
    expect(await rowsOf(ctx, 'leaderboardEntries', { agentId: agent.id })).toHaveLength(1);
    expect(await cancelRun(as, { runId })).toEqual(ended);
    expect(await handOutCases(as, { runId, limit: 1 })).toEqual({ cases: [], remaining: 0, ended: true });
    const late = answerPulled(as, runId, [{ caseId: cases[1]!.caseId, text: '' }]);
    expect(await codeOf(late)).toBe('run_ended');
    await expectNoDrift(ctx);
  });

  test('a push run that a runner has taken up ends at once, and the runner stores and settles nothing more', async () => {
    const { as, runId } = await startRun({ url: 'http://127.0.0.1:9/' });
    const { attempt } = await claimTestRun(ctx, runId);
    const [first, second] = wrong;
    expect(await record(ctx, first!, runId, attempt)).toEqual([true]);
    const ended = await cancelRun(as, { runId });
    const atOnce = { status: 'completed', cancelled: true, progressDone: 1, leaseUntil: null };
    expect(ended).toMatchObject(atOnce);
    expect(await record(ctx, second!, runId, attempt)).toEqual([false]);
    expect(await settleRun(ctx, { runId, attempt, outcome: completedWith(1), jobId: null })).toBe(false);
    expect(await claimRun(ctx, { runId })).toEqual({ state: 'ended' });
    const run = await readPulledRun(ctx, runId);
    expect(run.cases.find(({ index }) => index === first!.index)?.response_text).toBe('x');
    expect(run.balance).toBe(1);
    await expectNoDrift(ctx);
  });

  test('a run that has ended otherwise cannot be cancelled, and says how it ended', async () => {
    const { as, runId } = await startRun({ url: 'http://127.0.0.1:9/' });
    const { attempt } = await claimTestRun(ctx, runId);
    await settleRun(ctx, { runId, attempt, outcome: timedOut, jobId: null });
    expect(cancelRun(as, { runId })).rejects.toMatchObject({
      code: 'run_ended',
      message: 'This run has already failed.',
    });
  });

  test('cancels race with answers and fetches in two processes: one end, one charge, every case once', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { as, agent, runId } = await startRun();
      const { cases: words } = await handOutCases(as, { runId, limit: 8 });
      await answerEach(as, runId, words, 'x');
      const { cases: fetched } = await handOutCases(as, { runId, limit: 8 });
      const [answered] = fetched;
      await finishPulled(as, runId, answered!.caseId, 'x');
      const cases = fetched.filter((one) => one !== answered);
      const outcomes = await tally(
        race(ctx, 9, (one, index): Promise<unknown> => {
          const acting = actingAs(one, agent);
          if (index % 3 === 2) return cancelRun(acting, { runId });
          if (index % 3 === 1) return handOutCases(acting, { runId, limit: 2, worker: `w${index}` });
          return answerPulled(acting, runId, [{ caseId: cases[index]!.caseId, text: 'x' }]);
        }),
      );
      expect(Object.keys(outcomes).filter((name) => !['ok', 'run_ended'].includes(name))).toEqual([]);
      const run = await readPulledRun(ctx, runId);
      const { progressDone } = run.job;
      expect(run.job).toMatchObject({ status: 'completed', cancelled: true });
      // Cases without an answer are no progress.
      const positions = Array.from({ length: plainRunSize + 1 }, (_, at) => at - plainRunSize + progressDone);
      expect(run.positions).toEqual(positions.filter((position) => position !== 0));
      expect(run.balance).toBe(1);
    }
    await expectNoDrift(ctx);
  });

  // On SQLite nothing holds a read back, so the order cannot be forced.
  test.if(store.dialect === 'postgres')(
    'an answer that has read the run before a cancel is told that the run has ended, not that its case was answered',
    async () => {
      const { as, agent, runId } = await startRun();
      const { cases } = await handOutCases(as, { runId, limit: 1 });
      const other = actingAs(createTestCtx(store.db), agent);
      const answered = await withTransaction(as, async (inner) => {
        const { query } = inner.db;
        if (!('execute' in query)) throw new Error('Only Postgres runs statements as texts.');
        await query.execute(sql`lock table run_items in access exclusive mode`);
        // It reads the run and waits for the items.
        const code = codeOf(answerPulled(other, runId, [{ caseId: cases[0]!.caseId, text: 'x' }]));
        await waitUntil(async () => {
          const waiting = await query.execute(sql`select 1 from pg_locks where not granted`);
          return waiting.length > 0;
        });
        await cancelRun(inner, { runId });
        return { code };
      });
      expect(await answered.code).toBe('run_ended');
    },
  );

  test('cancels race with the runner: the run ends once, as cancelled or as settled', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { agent, runId } = await startRun({ url: 'http://127.0.0.1:9/' });
      const { attempt } = await claimTestRun(ctx, runId);
      const [first] = wrong;
      const calls = race(ctx, 6, (one, index): Promise<unknown> => {
        if (index < 2) return cancelRun(actingAs(one, agent), { runId });
        if (index === 2) return record(one, first!, runId, attempt);
        return settleRun(one, { runId, attempt, outcome: timedOut, jobId: null });
      });
      const outcomes = await tally(calls);
      expect(Object.keys(outcomes).filter((name) => !['ok', 'run_ended'].includes(name))).toEqual([]);
      const { job, balance } = await readPulledRun(ctx, runId);
      expect([job.status, job.cancelled, balance]).toBeOneOf([
        ['completed', true, 1],
        // Before the reply.
        ['failed', true, 2],
        ['failed', false, 2],
      ]);
    }
    await expectNoDrift(ctx);
  });
});
