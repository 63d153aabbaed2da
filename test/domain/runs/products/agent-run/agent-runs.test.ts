/** An agent run from its redemption to its scorecard: what counts, what ends it, and what it costs. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { eq, sql } from 'drizzle-orm';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { unfetchedMs } from '#domain/runs/run-limits.ts';
import { endDueRuns } from '#domain/runs/sweep-runs.ts';
import { Setbacks } from '#domain/setbacks.ts';
import { listRuns } from '#domain/runs/find-run.ts';
import { makeAgentCall, takeNextTask } from '#domain/runs/products/agent-run/pull-tasks.ts';
import { showAgentRun } from '#domain/runs/products/agent-run/show-agent-run.ts';
import { type AgentCtx, withTransaction } from '#domain/context.ts';
import { limitsOf } from '#evals/week/task-limits.ts';
import { listLeaderboard } from '#domain/leaderboard/list-leaderboard.ts';
import { redeem } from '#domain/runs/redeem.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';
import {
  callOf,
  giveUp,
  look,
  planFor,
  playNextTask,
  readAgentRun,
  startAgentRun,
  taskCount,
} from '#test/harness/agent-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf, domainErrorOf } from '../../../outcomes.ts';

forEachStore((store) => {
  let ctx: TestCtx;
  beforeAll(() => void (ctx = createTestCtx(store.db)));

  async function newAgent(tokens = 5): Promise<AgentCtx> {
    return actingAs(ctx, await createTestAgent(ctx, { tokens, freeAgentRunTaken: true }));
  }
  const next = (as: AgentCtx, runId: string) => takeNextTask(as, { runId });
  const budgetOf = async (as: AgentCtx, runId: string) =>
    limitsOf((await next(as, runId)).task?.task.budget ?? 0);

  test('a perfect agent scores 100, is charged once, and sees every call on its scorecard', async () => {
    const as = await newAgent();
    const run = await startAgentRun(as);
    expect(run).toMatchObject({ status: 'queued', chargeTokens: 1, chargeState: 'held', progressTotal: 12 });
    const plans: object[] = [];
    for (let n = 1; n <= taskCount; n += 1) {
      ctx.clock.advance(1_000);
      await next(as, run.id);
      const plan = await planFor(ctx, run, n);
      plans.push(plan);
      expect(await playNextTask(as, run, plan)).toBe(n);
    }
    expect(await next(as, run.id)).toEqual({ task: null, remaining: 0 });
    const { run: ended, card } = await showAgentRun(as, { runId: run.id });
    expect(ended).toMatchObject({
      status: 'completed',
      chargeState: 'consumed',
      score: 100,
      progressDone: 12,
    });
    expect(card).toMatchObject({
      score: 100,
      passed: { n: 12, of: 12 },
      partial: 100,
      attacks_worked: { worked: 0 },
      reliability: { errors: 0, one_in: null },
    });
    expect(card?.tasks.map(({ n, passed, finished }) => [n, passed, finished])).toEqual(
      Array.from({ length: taskCount }, (_, index) => [index + 1, true, true]),
    );
    expect(card?.tasks.map(({ calls }) => calls.map(({ tool, args }) => ({ tool, args })))).toEqual(
      plans as never,
    );
    const { account, entries } = await readAgentRun(ctx, run.id);
    expect([account?.balance, entries.map(({ kind }) => kind)]).toEqual([4, ['spend']]);
    expect(
      (await listRuns(as, { product: 'agent-run', limit: 10, cursor: null })).items.map(({ id }) => id),
    ).toEqual([run.id]);
  });

  test('a run that ended long ago has no next task', async () => {
    const as = await newAgent();
    const run = await startAgentRun(as);
    for (let n = 1; n <= taskCount; n += 1) await playNextTask(as, run, [giveUp]);
    ctx.clock.advance(unfetchedMs);
    expect(await next(as, run.id)).toEqual({ task: null, remaining: 0 });
  });

  test('the first run is free, independently of the free eval run, and a run holds its token', async () => {
    const agent = await createTestAgent(ctx);
    const as = actingAs(ctx, agent);
    const balance = async () => (await readBalances(store.db, [agent.id], ctx.clock.now())).get(agent.id);
    expect(await balance()).toMatchObject({ freeEvalAvailable: true, freeAgentRunAvailable: true });
    expect(await startAgentRun(as)).toMatchObject({ chargeFree: true, chargeTokens: 0 });
    expect(await balance()).toMatchObject({ freeEvalAvailable: true, freeAgentRunAvailable: false, held: 0 });
    expect(await codeOf(startAgentRun(as))).toBe('insufficient_tokens');

    const payer = await newAgent(3);
    await startAgentRun({ ...payer, rules: { ...payer.rules, agentRunCostTokens: 3 } });
    expect(
      (await readBalances(store.db, [payer.agent.id], ctx.clock.now())).get(payer.agent.id),
    ).toMatchObject({ balance: 0, held: 3 });
  });

  test('the limit on open runs counts all products', async () => {
    const as = await newAgent(10);
    for (let count = 0; count < as.rules.runLimits.openRuns - 1; count += 1) await startAgentRun(as);
    await redeem(as, {
      product: 'eval-run',
      targetUrl: 'https://agent.example/',
      target: null,
      ranked: false,
      secretKey: testSecretKey,
    });
    expect(await codeOf(startAgentRun(as))).toBe('too_many_open_jobs');
  });

  test('one task is open at a time, and repeating the request returns it', async () => {
    const as = await newAgent();
    const run = await startAgentRun(as);
    const first = await next(as, run.id);
    expect([first.task?.n, first.remaining]).toEqual([1, 12]);
    expect(await next(as, run.id)).toEqual(first);
    await makeAgentCall(as, callOf(run, 1, 'end', giveUp));
    const second = await next(as, run.id);
    expect([second.task?.n, second.remaining]).toEqual([2, 11]);
    expect((await readAgentRun(ctx, run.id)).run).toMatchObject({ status: 'running', progressDone: 1 });
  });

  test('a repeated call returns its result again and does not count, even after the end of the task', async () => {
    const as = await newAgent();
    const run = await startAgentRun(as);
    const { calls } = await budgetOf(as, run.id);
    const [read = look] = await planFor(ctx, run, 1);
    const made = await makeAgentCall(as, callOf(run, 1, 'a', read));
    expect(made.callsLeft).toBe(calls - 1);
    expect(await makeAgentCall(as, callOf(run, 1, 'a', read))).toEqual(made);
    expect(await codeOf(makeAgentCall(as, callOf(run, 1, 'a', giveUp)))).toBe('call_id_reused');
    const ended = await makeAgentCall(as, callOf(run, 1, 'end', giveUp));
    expect(ended).toMatchObject({
      n: 1,
      result: { status: 'finished', calls_left: calls - 2, task_ended: true },
      callsLeft: calls - 2,
      endedTask: true,
    });
    expect(await makeAgentCall(as, callOf(run, 1, 'end', giveUp))).toEqual(ended);
    expect(await makeAgentCall(as, callOf(run, 1, 'a', read))).toEqual(made);
    expect(await codeOf(makeAgentCall(as, callOf(run, 1, 'b', read)))).toBe('task_ended');
    // In another task, the same id means another call.
    const second = await budgetOf(as, run.id);
    expect((await makeAgentCall(as, callOf(run, 2, 'a', look))).callsLeft).toBe(second.calls - 1);
  });

  describe('the budget of a task', () => {
    test('ends it with its last call, including invalid calls', async () => {
      const as = await newAgent();
      const run = await startAgentRun(as);
      const budget = await budgetOf(as, run.id);
      const wrong = await makeAgentCall(as, callOf(run, 1, 'wrong', { tool: 'no_such_tool', args: {} }));
      expect(wrong).toMatchObject({ result: { error: 'unknown_tool' }, callsLeft: budget.calls - 1 });
      for (let count = 2; count <= budget.calls; count += 1) {
        const { callsLeft } = await makeAgentCall(as, callOf(run, 1, `${count}`, look));
        expect(callsLeft).toBe(budget.calls - count);
      }
      expect(await codeOf(makeAgentCall(as, callOf(run, 1, 'more', look)))).toBe('budget_exhausted');
      expect((await next(as, run.id)).task?.n).toBe(2);
      const { tasks } = await readAgentRun(ctx, run.id);
      expect(tasks[0]?.verdict).toMatchObject({ passed: false, finished: false });
    });

    test('extends the time of the run, and what one task leaves is for the next one', async () => {
      const as = await newAgent();
      const run = await startAgentRun(as);
      const first = await budgetOf(as, run.id);
      await makeAgentCall(as, callOf(run, 1, 'end', giveUp));
      const second = await budgetOf(as, run.id);
      ctx.clock.advance((first.seconds + second.seconds) * 1_000 - 1);
      const made = await makeAgentCall(as, callOf(run, 2, 'in time', look));
      ctx.clock.advance(1);
      expect(await codeOf(makeAgentCall(as, callOf(run, 2, 'late', look)))).toBe('task_ended');
      expect(await makeAgentCall(as, callOf(run, 2, 'in time', look))).toEqual(made);
      expect(await next(as, run.id)).toEqual({ task: null, remaining: 0 });
    });

    test('rejects arguments beyond its limit, and still accepts shorter ones', async () => {
      const as = await newAgent();
      const run = await startAgentRun(as);
      const { argumentBytes, calls } = await budgetOf(as, run.id);
      const long = { tool: 'notes_write', args: { text: 'x'.repeat(30_000) } };
      const fitting = Math.floor(argumentBytes / 30_011);
      for (let count = 1; count <= fitting; count += 1) {
        expect((await makeAgentCall(as, callOf(run, 1, `${count}`, long))).result).toMatchObject({
          error: 'invalid_arguments',
        });
      }
      const error = await domainErrorOf(makeAgentCall(as, callOf(run, 1, 'c', long)));
      expect(error).toMatchObject({ code: 'budget_exhausted' });
      expect(error.message).toContain(`of the task's ${argumentBytes} are left`);
      expect((await makeAgentCall(as, callOf(run, 1, 'd', giveUp))).callsLeft).toBe(calls - fitting - 1);
    });
  });

  test('runs and tasks of others, and tasks that were not fetched, do not exist', async () => {
    const as = await newAgent();
    const stranger = await newAgent();
    const run = await startAgentRun(as);
    expect(await codeOf(makeAgentCall(as, callOf(run, 1, 'a', look)))).toBe('task_not_found');
    await next(as, run.id);
    expect(await codeOf(makeAgentCall(as, callOf(run, 2, 'a', look)))).toBe('task_not_found');
    for (const call of [
      () => makeAgentCall(stranger, callOf(run, 1, 'a', look)),
      () => next(stranger, run.id),
      () => showAgentRun(stranger, { runId: run.id }),
    ])
      expect(await codeOf(call())).toBe('run_not_found');
    expect((await listRuns(stranger, { product: 'agent-run', limit: 10, cursor: null })).items).toEqual([]);
  });

  test('a run that cannot be ended keeps no other one open', async () => {
    const broken = await startAgentRun(await newAgent());
    ctx.clock.advance(1_000);
    const as = await newAgent();
    const whole = await startAgentRun(as);
    const { runs } = ctx.db.tables;
    const setProduct = (product: string) =>
      withTransaction(ctx, ({ db }) =>
        db.query
          .update(runs)
          .set({ product: sql`${product}` })
          .where(eq(runs.id, broken.id)),
      );
    await setProduct('gone-run');
    ctx.clock.advance(24 * 60 * 60 * 1_000);
    const setbacks = new Setbacks(ctx.clock);
    await expect(endDueRuns(ctx, setbacks)).rejects.toThrow(`These runs could not be ended: ${broken.id}.`);
    expect((await showAgentRun(as, { runId: whole.id })).run.finishedAt).not.toBeNull();
    await setProduct('agent-run');
    expect(await endDueRuns(ctx, setbacks)).toBe(0);
    ctx.clock.advance(60_000);
    expect(await endDueRuns(ctx, setbacks)).toBe(1);
  });

  test('a run ends when the time of its tasks is over, and its other tasks count as failed', async () => {
    const [swept, asked] = [await newAgent(), await newAgent()];
    const runs = [await startAgentRun(swept), await startAgentRun(asked)] as const;
    for (const [as, run] of [
      [swept, runs[0]],
      [asked, runs[1]],
    ] as const) {
      await playNextTask(as, run);
      await next(as, run.id);
    }
    await endDueRuns(ctx);
    ctx.clock.advance(24 * 60 * 60 * 1_000);
    expect(await codeOf(makeAgentCall(asked, callOf(runs[1], 2, 'late', look)))).toBe('task_ended');
    expect(await next(asked, runs[1].id)).toEqual({ task: null, remaining: 0 });
    await Promise.all([endDueRuns(ctx), endDueRuns(ctx)]);
    for (const [as, run] of [
      [swept, runs[0]],
      [asked, runs[1]],
    ] as const) {
      const { run: ended, card } = await showAgentRun(as, { runId: run.id });
      expect(ended).toMatchObject({ status: 'completed', chargeState: 'consumed', progressDone: 2 });
      expect(ended.score).toBeLessThan(60);
      expect(card?.passed).toEqual({ n: 1, of: 12 });
      expect(card?.tasks.map(({ family }) => family !== null)).toEqual(
        Array.from({ length: 12 }, (_, index) => index < 2),
      );
    }
  });

  test('a run that is not fetched within 24 hours is refunded, once', async () => {
    const paid = await newAgent(1);
    const free = actingAs(ctx, await createTestAgent(ctx));
    const runs = [await startAgentRun(paid), await startAgentRun(free)] as const;
    ctx.clock.advance(unfetchedMs - 1);
    await endDueRuns(ctx);
    expect((await readAgentRun(ctx, runs[0].id)).run.status).toBe('queued');
    ctx.clock.advance(1);
    expect(await next(free, runs[1].id)).toEqual({ task: null, remaining: 0 });
    await Promise.all([endDueRuns(ctx), endDueRuns(ctx)]);
    for (const { id } of runs) {
      expect((await readAgentRun(ctx, id)).run).toMatchObject({
        status: 'failed',
        chargeState: 'refunded',
        failureCode: 'never_fetched',
      });
    }
    const { account, entries } = await readAgentRun(ctx, runs[0].id);
    expect([account?.balance, entries.map(({ kind }) => kind).toSorted()]).toEqual([1, ['refund', 'spend']]);
    expect((await readAgentRun(ctx, runs[1].id)).account?.freeAgentRunRedemptionId).toBeNull();
    expect((await showAgentRun(paid, { runId: runs[0].id })).card).toBeNull();
  });

  test('a ranked run is never free, and counts with 0 points when its agent abandons it', async () => {
    const as = actingAs(ctx, await createTestAgent(ctx, { tokens: 2 }));
    const runs = [await startAgentRun(as, null, true), await startAgentRun(as, null, true)] as const;
    expect(runs.map(({ chargeFree, ranked }) => [chargeFree, ranked])).toEqual([
      [false, true],
      [false, true],
    ]);
    expect(await codeOf(startAgentRun(as, null, true))).toBe('insufficient_tokens');
    for (let n = 1; n <= taskCount; n += 1) await playNextTask(as, runs[0], n === 1 ? undefined : [giveUp]);
    const board = () => listLeaderboard(ctx, { product: 'agent-run', limit: 10, cursor: null });
    const own = async () => (await board()).entries.filter(({ agentId }) => agentId === as.agent.id);
    const [before] = await own();
    expect(before).toMatchObject({ host: null, runs: 1 });
    expect(before?.score).toBeGreaterThan(0);
    ctx.clock.advance(unfetchedMs);
    await endDueRuns(ctx);
    const { run: abandoned, entries } = await readAgentRun(ctx, runs[1].id);
    expect(abandoned).toMatchObject({ status: 'completed', chargeState: 'consumed', score: 0 });
    expect(entries.map(({ kind }) => kind)).toEqual(['spend']);
    const [after] = await own();
    expect(after?.runs).toBe(2);
    // Scores are rounded to tenths.
    expect(after?.score).toBeCloseTo((before?.score ?? 0) / 2, 0);
  });

  test('the audit finds nothing wrong in all of this', async () => {
    const drifts = (await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0);
    expect(drifts).toEqual([]);
  });
});
