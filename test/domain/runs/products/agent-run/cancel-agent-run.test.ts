/** Cancelling agent runs on both stores: the charge, the open tasks, and races with calls and with a worker. */
import { beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { makeAgentCall, takeNextTask } from '#domain/runs/products/agent-run/pull-tasks.ts';
import { ClaimLost, claimRun } from '#domain/runs/hold-run.ts';
import { openPushedTask, takePushedStep } from '#domain/runs/products/agent-run/push-tasks.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { unfetchedMs } from '#domain/runs/run-limits.ts';
import { endDueRuns } from '#domain/runs/sweep-runs.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import {
  callOf,
  giveUp,
  look,
  planFor,
  playNextTask,
  readAgentRun,
  startAgentRun,
  startPushedRun,
} from '#test/harness/agent-runs.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf, tally } from '../../../outcomes.ts';
import { openTwoProcesses } from '../../../two-processes.ts';

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let ctx: TestCtx;
  beforeAll(() => void (ctx = createTestCtx(store.db)));

  async function newAgent() {
    return createTestAgent(ctx, { tokens: 2, freeAgentRunTaken: true });
  }

  async function expectNoDrift(): Promise<void> {
    expect((await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
  }

  test('before its first task was fetched, a cancelled run fails and is refunded, which is no failure of the day', async () => {
    const rules = { ...ctx.rules, runLimits: { openRuns: 1, failedCallsPerDay: 2 } };
    const as = actingAs({ ...ctx, rules }, await newAgent());
    for (let count = 0; count <= 3; count += 1) {
      const run = await startAgentRun(as);
      const ended = await cancelRun(as, { runId: run.id });
      expect(ended).toMatchObject({ status: 'failed', failureCode: 'cancelled', cancelled: true });
      expect(await cancelRun(as, { runId: run.id })).toEqual(ended);
      const { account, entries } = await readAgentRun(ctx, run.id);
      expect([account?.balance, entries.map(({ kind }) => kind).toSorted()]).toEqual([
        2,
        ['refund', 'spend'],
      ]);
    }
    await expectNoDrift();
  });

  test('after it began, a cancelled run is completed and charged, and tasks that have not ended score 0', async () => {
    const as = actingAs(ctx, await newAgent());
    const run = await startAgentRun(as, null, true);
    await playNextTask(as, run);
    await takeNextTask(as, { runId: run.id });
    // Everything but `task_finish`.
    await playNextTask(as, run, (await planFor(ctx, run, 2)).slice(0, -1));
    const ended = await cancelRun(as, { runId: run.id });
    expect(ended).toMatchObject({
      status: 'completed',
      cancelled: true,
      chargeState: 'consumed',
      failureCode: null,
    });
    // What was done until then counts.
    expect(ended.verdicts?.map(({ passed, finished }) => [passed, finished])).toEqual([
      [true, true],
      [true, false],
      ...Array.from({ length: 10 }, () => [false, false]),
    ]);
    const { leaderboardEntries } = ctx.db.tables;
    const entries = await ctx.db.query
      .select()
      .from(leaderboardEntries)
      .where(eq(leaderboardEntries.agentId, as.agent.id));
    expect(entries).toHaveLength(1);
    expect(await cancelRun(as, { runId: run.id })).toEqual(ended);
    expect(await takeNextTask(as, { runId: run.id })).toEqual({ task: null, remaining: 0 });
    const call = makeAgentCall(as, callOf(run, 2, 'late', giveUp));
    expect(await codeOf(call)).toBe('task_ended');
    await expectNoDrift();
  });

  test('a claimed run whose first task has not been sent is refunded: cancelled, or overdue', async () => {
    const open = {
      ...ctx,
      rules: { ...ctx.rules, targetAddresses: createAddressPolicy(['loopback']) },
    };
    const as = actingAs(open, await newAgent());
    const runs = [
      await startPushedRun(as, 'http://127.0.0.1:9/'),
      await startPushedRun(as, 'http://127.0.0.1:9/', {}, true),
    ] as const;
    // Their worker dies before it opens a task.
    for (const { run } of runs) expect((await claimRun(ctx, { runId: run.id })).state).toBe('claimed');
    expect(await cancelRun(as, { runId: runs[0].run.id })).toMatchObject({
      status: 'failed',
      failureCode: 'cancelled',
      chargeState: 'refunded',
    });
    ctx.clock.advance(unfetchedMs);
    await endDueRuns(ctx);
    const { run: overdue, account } = await readAgentRun(ctx, runs[1].run.id);
    expect(overdue).toMatchObject({ status: 'failed', failureCode: 'internal', chargeState: 'refunded' });
    expect(account?.balance).toBe(2);
    await expectNoDrift();
  });

  test('a run that its worker works on ends at once, and the worker changes nothing more', async () => {
    const open = {
      ...ctx,
      rules: { ...ctx.rules, targetAddresses: createAddressPolicy(['loopback']) },
    };
    const as = actingAs(open, await newAgent());
    const { run } = await startPushedRun(as, 'http://127.0.0.1:9/');
    const claim = await claimRun(ctx, { runId: run.id });
    if (claim.state !== 'claimed') throw new Error('The run was not claimed.');
    const key = { runId: run.id, attempt: claim.run.attempt };
    expect(await openPushedTask(ctx, key)).toMatchObject({ row: { n: 1 } });
    const ended = await cancelRun(as, { runId: run.id });
    expect(ended).toMatchObject({ status: 'failed', cancelled: true, leaseUntil: null });
    const step = { text: null, calls: [{ id: 'a', name: look.tool, arguments: look.args }] };
    await expect(takePushedStep(ctx, key, 1, step)).rejects.toBeInstanceOf(ClaimLost);
    await expect(openPushedTask(ctx, key)).rejects.toBeInstanceOf(ClaimLost);
    expect(await claimRun(ctx, { runId: run.id })).toEqual({ state: 'ended' });
    expect((await readAgentRun(ctx, run.id)).calls).toEqual([]);
  });

  test('a run in which no call was made is refunded when it is cancelled or its time is up, unless it is ranked', async () => {
    for (const ranked of [false, true]) {
      for (const end of ['cancel', 'time'] as const) {
        const as = actingAs(ctx, await newAgent());
        const run = await startAgentRun(as, null, ranked);
        await takeNextTask(as, { runId: run.id });
        if (end === 'cancel') await cancelRun(as, { runId: run.id });
        else {
          ctx.clock.advance(unfetchedMs);
          await endDueRuns(ctx);
        }
        const { run: ended, account } = await readAgentRun(ctx, run.id);
        const code = end === 'cancel' ? 'cancelled' : 'no_reply';
        expect([ended?.status, ended?.failureCode, account?.balance]).toEqual(
          ranked ? ['completed', null, 1] : ['failed', code, 2],
        );
      }
    }
    await expectNoDrift();
  });

  test('foreign and ended runs cannot be cancelled', async () => {
    const [as, stranger] = [actingAs(ctx, await newAgent()), actingAs(ctx, await newAgent())];
    const run = await startAgentRun(as);
    expect(await codeOf(cancelRun(stranger, { runId: run.id, product: 'agent-run' }))).toBe('run_not_found');
    const { runs } = ctx.db.tables;
    await ctx.db.transaction((tx) =>
      tx.query.update(runs).set({ status: 'completed' }).where(eq(runs.id, run.id)),
    );
    expect(await codeOf(cancelRun(as, { runId: run.id }))).toBe('run_ended');
    await ctx.db.transaction((tx) =>
      tx.query.update(runs).set({ status: 'queued' }).where(eq(runs.id, run.id)),
    );
  });

  test('cancels race with calls and fetches in two processes: one end and one charge', async () => {
    for (let round = 0; round < 4; round += 1) {
      const agent = await newAgent();
      const run = await startAgentRun(actingAs(ctx, agent));
      await takeNextTask(actingAs(ctx, agent), { runId: run.id });
      await makeAgentCall(actingAs(ctx, agent), callOf(run, 1, 'first', look));
      const outcomes = await tally(
        race(ctx, 9, (one, index): Promise<unknown> => {
          const acting = actingAs(one, agent);
          if (index % 3 === 2) return cancelRun(acting, { runId: run.id });
          if (index % 3 === 1) return takeNextTask(acting, { runId: run.id });
          return makeAgentCall(acting, callOf(run, 1, `c${index}`, giveUp));
        }),
      );
      expect(
        Object.keys(outcomes).filter((name) => !['ok', 'task_ended', 'budget_exhausted'].includes(name)),
      ).toEqual([]);
      const { run: ended, tasks, account } = await readAgentRun(ctx, run.id);
      expect(ended).toMatchObject({ status: 'completed', cancelled: true });
      expect([tasks.every(({ endedAt }) => endedAt !== null), account?.balance]).toEqual([true, 1]);
    }
    await expectNoDrift();
  });
});
