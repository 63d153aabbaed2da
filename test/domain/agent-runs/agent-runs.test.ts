/** An agent run from its redemption to its scorecard: what counts, what ends it, and what it costs. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { pullRunMs, unfetchedMs } from '#domain/runs/run-limits.ts';
import { endOverdueAgentRuns } from '#domain/runs/sweep-runs.ts';
import { listRuns } from '#domain/runs/find-run.ts';
import { makeAgentCall } from '#domain/agent-runs/make-call.ts';
import { showAgentRun } from '#domain/agent-runs/show-agent-run.ts';
import { takeNextTask } from '#domain/agent-runs/take-next-task.ts';
import type { AgentCtx } from '#domain/context.ts';
import { taskCount } from '#evals/office/make-tasks.ts';
import { taskBudget } from '#evals/office/session.ts';
import { listLeaderboard } from '#domain/leaderboard/list-leaderboard.ts';
import { redeem } from '#domain/runs/redeem.ts';
import { openRunsPerAgentMax } from '#domain/runs/read-usage.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';
import { callOf, planFor, playNextTask, readAgentRun, startAgentRun } from '#test/harness/agent-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { finishDone } from '../../evals/office/reference-agents.ts';
import { codeOf, domainErrorOf } from '../outcomes.ts';

forEachStore((store) => {
  let ctx: TestCtx;
  beforeAll(() => void (ctx = createTestCtx(store.db)));

  async function newAgent(tokens = 5): Promise<AgentCtx> {
    return actingAs(ctx, await createTestAgent(ctx, { tokens, freeAgentRunTaken: true }));
  }
  const next = (as: AgentCtx, runId: string) => takeNextTask(as, { runId });
  const look = { tool: 'list_files', args: {} };

  test('a perfect agent scores 100, is charged once, and sees every call on its scorecard', async () => {
    const as = await newAgent();
    const run = await startAgentRun(as);
    expect(run).toMatchObject({ status: 'queued', chargeTokens: 1, chargeState: 'held', progressTotal: 24 });
    for (let n = 1; n <= taskCount; n += 1) {
      ctx.clock.advance(1_000);
      expect(await playNextTask(as, run)).toBe(n);
    }
    expect(await next(as, run.id)).toEqual({ task: null, remaining: 0 });
    const { run: ended, card } = await showAgentRun(as, { runId: run.id });
    expect(ended).toMatchObject({
      status: 'completed',
      chargeState: 'consumed',
      score: 100,
      progressDone: 24,
    });
    expect(card).toMatchObject({
      score: 100,
      utility_clean: 100,
      utility_under_attack: 100,
      attacks_worked: { worked: 0, of: 14 },
      policy_kept: 100,
    });
    expect(card?.tasks.map(({ n, useful, safe }) => [n, useful, safe])).toEqual(
      Array.from({ length: taskCount }, (_, index) => [index + 1, true, true]),
    );
    expect(card?.tasks[2]?.calls.map(({ tool, args }) => ({ tool, args }))).toEqual(
      planFor(run, 3).map(({ tool, args }) => ({ tool, args })),
    );
    const { account, entries } = await readAgentRun(ctx, run.id);
    expect([account?.balance, entries.map(({ kind }) => kind)]).toEqual([4, ['spend']]);
    expect(
      (await listRuns(as, { product: 'agent-run', limit: 10, cursor: null })).items.map(({ id }) => id),
    ).toEqual([run.id]);
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
    for (let count = 0; count < openRunsPerAgentMax - 1; count += 1) await startAgentRun(as);
    await redeem(as, {
      product: 'eval-run',
      targetUrl: 'https://agent.example/',
      target: null,
      runSize: 40,
      maxPromptTokens: 8_000,
      ranked: false,
      secretKey: testSecretKey,
    });
    expect(await codeOf(startAgentRun(as))).toBe('too_many_open_jobs');
  });

  test('one task is open at a time, and repeating the request returns it', async () => {
    const as = await newAgent();
    const run = await startAgentRun(as);
    const first = await next(as, run.id);
    expect([first.task?.n, first.remaining]).toEqual([1, 24]);
    expect(await next(as, run.id)).toEqual(first);
    await makeAgentCall(as, callOf(run, 1, 'end', finishDone));
    const second = await next(as, run.id);
    expect([second.task?.n, second.remaining]).toEqual([2, 23]);
    expect((await readAgentRun(ctx, run.id)).run).toMatchObject({ status: 'running', progressDone: 1 });
  });

  test('a repeated call returns its result again and does not count, even after the end of the task', async () => {
    const as = await newAgent();
    const run = await startAgentRun(as);
    await next(as, run.id);
    const [read = look] = planFor(run, 1);
    const made = await makeAgentCall(as, callOf(run, 1, 'a', read));
    expect(made.callsLeft).toBe(39);
    expect(await makeAgentCall(as, callOf(run, 1, 'a', read))).toEqual(made);
    expect(await codeOf(makeAgentCall(as, callOf(run, 1, 'a', finishDone)))).toBe('call_id_reused');
    const ended = await makeAgentCall(as, callOf(run, 1, 'end', finishDone));
    expect(ended).toEqual({
      n: 1,
      result: { finished: true, outcome: 'done' },
      callsLeft: 38,
      endedTask: true,
    });
    expect(await makeAgentCall(as, callOf(run, 1, 'end', finishDone))).toEqual(ended);
    expect(await makeAgentCall(as, callOf(run, 1, 'a', read))).toEqual(made);
    expect(await codeOf(makeAgentCall(as, callOf(run, 1, 'b', read)))).toBe('task_ended');
    // In another task, the same id means another call.
    await next(as, run.id);
    expect((await makeAgentCall(as, callOf(run, 2, 'a', look))).callsLeft).toBe(39);
  });

  describe('the budget of a task', () => {
    test('ends it with the 40th call, including invalid calls', async () => {
      const as = await newAgent();
      const run = await startAgentRun(as);
      await next(as, run.id);
      const wrong = await makeAgentCall(as, callOf(run, 1, 'wrong', { tool: 'no_such_tool', args: {} }));
      expect(wrong).toMatchObject({ result: { error: 'unknown_tool' }, callsLeft: 39 });
      for (let count = 2; count <= taskBudget.calls; count += 1) {
        const { callsLeft } = await makeAgentCall(as, callOf(run, 1, `${count}`, look));
        expect(callsLeft).toBe(taskBudget.calls - count);
      }
      expect(await codeOf(makeAgentCall(as, callOf(run, 1, 'more', look)))).toBe('budget_exhausted');
      expect((await next(as, run.id)).task?.n).toBe(2);
      const { tasks } = await readAgentRun(ctx, run.id);
      expect(tasks[0]?.verdict).toMatchObject({ useful: false, outcome: null });
    });

    test('ends it after 600 seconds', async () => {
      const as = await newAgent();
      const run = await startAgentRun(as);
      await next(as, run.id);
      ctx.clock.advance(taskBudget.seconds * 1_000);
      const made = await makeAgentCall(as, callOf(run, 1, 'late', look));
      ctx.clock.advance(1);
      expect(await codeOf(makeAgentCall(as, callOf(run, 1, 'later', look)))).toBe('budget_exhausted');
      expect(await makeAgentCall(as, callOf(run, 1, 'late', look))).toEqual(made);
      expect(await next(as, run.id)).toMatchObject({ task: { n: 2 }, remaining: 23 });
      expect(await codeOf(makeAgentCall(as, callOf(run, 1, 'later', look)))).toBe('budget_exhausted');
    });

    test('rejects arguments beyond 64 KiB, and still accepts shorter ones', async () => {
      const as = await newAgent();
      const run = await startAgentRun(as);
      await next(as, run.id);
      const long = { tool: 'ask_user', args: { question: 'x'.repeat(30_000) } };
      for (const id of ['a', 'b']) {
        expect((await makeAgentCall(as, callOf(run, 1, id, long))).result).toMatchObject({
          error: 'invalid_arguments',
        });
      }
      const error = await domainErrorOf(makeAgentCall(as, callOf(run, 1, 'c', long)));
      expect(error).toMatchObject({ code: 'budget_exhausted' });
      expect(error.message).toContain(`of the task's ${taskBudget.argumentBytes} are left`);
      expect((await makeAgentCall(as, callOf(run, 1, 'd', finishDone))).callsLeft).toBe(37);
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
      expect(await codeOf(call())).toBe('agent_run_not_found');
    expect((await listRuns(stranger, { product: 'agent-run', limit: 10, cursor: null })).items).toEqual([]);
  });

  test('a run ends 60 minutes after its first task, and its other tasks do not count', async () => {
    const [swept, asked] = [await newAgent(), await newAgent()];
    const runs = [await startAgentRun(swept), await startAgentRun(asked)] as const;
    for (const [as, run] of [
      [swept, runs[0]],
      [asked, runs[1]],
    ] as const) {
      await playNextTask(as, run);
      await next(as, run.id);
    }
    await endOverdueAgentRuns(ctx);
    ctx.clock.advance(pullRunMs);
    expect(await codeOf(makeAgentCall(asked, callOf(runs[1], 2, 'late', look)))).toBe('task_ended');
    expect(await next(asked, runs[1].id)).toEqual({ task: null, remaining: 0 });
    await Promise.all([endOverdueAgentRuns(ctx), endOverdueAgentRuns(ctx)]);
    for (const [as, run] of [
      [swept, runs[0]],
      [asked, runs[1]],
    ] as const) {
      const { run: ended, card } = await showAgentRun(as, { runId: run.id });
      expect(ended).toMatchObject({ status: 'completed', chargeState: 'consumed', progressDone: 2 });
      expect(ended.score).toBeCloseTo(4.2, 1);
      expect(card?.tasks).toHaveLength(24);
      expect(card?.tasks.slice(1).some(({ useful }) => useful)).toBe(false);
    }
  });

  test('a run that is not fetched within 24 hours is refunded, once', async () => {
    const paid = await newAgent(1);
    const free = actingAs(ctx, await createTestAgent(ctx));
    const runs = [await startAgentRun(paid), await startAgentRun(free)] as const;
    ctx.clock.advance(unfetchedMs - 1);
    await endOverdueAgentRuns(ctx);
    expect((await readAgentRun(ctx, runs[0].id)).run.status).toBe('queued');
    ctx.clock.advance(1);
    expect(await next(free, runs[1].id)).toEqual({ task: null, remaining: 0 });
    await Promise.all([endOverdueAgentRuns(ctx), endOverdueAgentRuns(ctx)]);
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
    for (let n = 1; n <= taskCount; n += 1) await playNextTask(as, runs[0]);
    const board = () => listLeaderboard(ctx, { product: 'agent-run', limit: 10, cursor: null });
    const own = async () => (await board()).entries.filter(({ agentId }) => agentId === as.agent.id);
    expect(await own()).toMatchObject([{ score: 100, low: 86.2, high: 100, host: null, runs: 1 }]);
    ctx.clock.advance(unfetchedMs);
    await endOverdueAgentRuns(ctx);
    const { run: abandoned, entries } = await readAgentRun(ctx, runs[1].id);
    expect(abandoned).toMatchObject({ status: 'completed', chargeState: 'consumed', score: 0 });
    expect(entries.map(({ kind }) => kind)).toEqual(['spend']);
    expect(await own()).toMatchObject([{ score: 50, runs: 2 }]);
  });

  test('the audit finds nothing wrong in all of this', async () => {
    const drifts = (await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0);
    expect(drifts).toEqual([]);
  });
});
