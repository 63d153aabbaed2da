/** Suspension: who may suspend whom, when it ends, and its effect on runs, logins and webhooks. */
import { expect, test } from 'bun:test';
import { findActingAgents, hashBearerToken, isSuspended } from '#domain/agents/token-bearers.ts';
import { startLogin } from '#domain/agents/start-login.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { settleRun } from '#domain/runs/settle-run.ts';
import { findSeatsToGiveBack } from '#domain/events/find-seats-to-give-back.ts';
import { endRunsOfAbsentAgents } from '#domain/moderation/end-runs-of-absent-agents.ts';
import { listModerationEntries } from '#domain/moderation/moderation-log.ts';
import { reinstateAgent, suspendAgent } from '#domain/moderation/suspend-agent.ts';
import { Setbacks } from '#domain/setbacks.ts';
import { fetchTask, readAgentRun, startAgentRun, startPushedRun } from '#test/harness/agent-runs.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, type TestCtx, useTestCtx } from '#test/harness/ctx.ts';
import { redeem, claimTestRun } from '#test/harness/eval-runs.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { changeRows, rowOf, rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { startWaitingRuns } from '#test/harness/waiting-runs.ts';
import { deliveriesOf, register, tell } from '#test/harness/webhooks.ts';
import {
  carryOut,
  codeOf as seatCodeOf,
  handleInRace,
  reserve,
  seatsOf,
  wait,
} from '../events/run-commands.ts';
import { codeOf, tally, balanceOf, expectNoDrift } from '../outcomes.ts';
import { openTwoProcesses } from '../two-processes.ts';

const target = 'https://agent.example/answer';
const refunded = { status: 'failed', chargeState: 'refunded', failureCode: 'agent_suspended' };
const dayMs = 24 * 60 * 60 * 1_000;

forEachStore((store) => {
  const race = openTwoProcesses(store);
  const ctx = useTestCtx(store);
  const { agent: maintainer } = useAgentCtx(ctx, { isMaintainer: true });
  const suspend = ({ handle }: { handle: string }, until: Date | null = null, at = ctx) =>
    suspendAgent(actingAs(at, maintainer), { handle, reason: 'Spam', until });
  const reinstate = ({ handle }: { handle: string }) =>
    reinstateAgent(actingAs(ctx, maintainer), { handle, reason: null });
  const isOut = async ({ bearerToken }: TestAgent) => {
    const hash = hashBearerToken(bearerToken);
    return isSuspended((await findActingAgents(ctx.db, [hash])).get(hash)!.suspension, ctx.clock.now());
  };
  const jobOf = (id: string) => rowOf(ctx, 'runs', { id });
  /** As an older version of the hub did, which left the runs open. */
  const markSuspended = ({ id }: TestAgent) =>
    changeRows(ctx, 'agents', { id }, { suspendedAt: ctx.clock.now() });
  const actsOn = async ({ id }: TestAgent) => {
    const log = await listModerationEntries(actingAs(ctx, maintainer), { limit: 100, cursor: null });
    return log.items.filter(({ subjectId }) => subjectId === id).map(({ act }) => act);
  };

  test('a suspended agent is refused until it is reinstated, and repeating either is logged once', async () => {
    const agent = await createTestAgent(ctx);
    expect(await tally(race(ctx, 4, (at) => suspend(agent, null, at)))).toEqual({ ok: 4 });
    expect(await isOut(agent)).toBe(true);
    expect(await codeOf(startLogin(ctx, agent))).toBe('agent_suspended');
    ctx.clock.advance(1);
    for (let time = 0; time < 2; time += 1) await reinstate(agent);
    expect(await isOut(agent)).toBe(false);
    await startLogin(ctx, agent);
    expect(await actsOn(agent)).toEqual(['reinstate', 'suspend']);
  });

  test('a suspension with an end time ends at that instant', async () => {
    const agent = await createTestAgent(ctx);
    const until = new Date(ctx.clock.now().getTime() + dayMs);
    await suspend(agent, until);
    ctx.clock.advance(dayMs - 1);
    expect(await isOut(agent)).toBe(true);
    ctx.clock.advance(1);
    expect(await isOut(agent)).toBe(false);
    expect(await codeOf(suspend(agent, ctx.clock.now()))).toBe('invalid_body');
    await suspend(agent);
    expect([await isOut(agent), await actsOn(agent)]).toEqual([true, ['suspend', 'suspend']]);
  });

  test('maintainers cannot be suspended, nor agents that do not exist', async () => {
    expect(await codeOf(suspend(maintainer))).toBe('cannot_suspend_maintainer');
    const nobody = { handle: 'nobody-here' };
    expect(await codeOf(suspend(nobody))).toBe('unknown_handle');
    expect(await codeOf(reinstate(nobody))).toBe('unknown_handle');
  });

  test('a suspension refunds every kind of open run: eval and agent runs, pushed and pulled, waiting and begun', async () => {
    const agent = await createTestAgent(ctx, { tokens: 20 });
    const as = actingAs(ctx, agent);
    const { evalRun: pushed } = await redeem(ctx, agent.id, target);
    const { attempt } = await claimTestRun(ctx, pushed.id);
    const [fetched = ''] = await startWaitingRuns(ctx, [agent]);
    await handOutCases(as, { runId: fetched, limit: 8 });
    await redeem(ctx, agent.id, target);
    const pulled = await startAgentRun(as);
    await fetchTask(as, pulled);
    await startPushedRun(as, 'https://agent.example/v1/chat/completions');
    const read = () => rowsOf(ctx, 'runs', { agentId: agent.id });
    const modes = (await read()).map(({ mode }) => mode).toSorted();
    expect(modes).toEqual(['pull', 'pull', 'push', 'push', 'push']);
    await suspend(agent);
    for (const run of await read()) expect(run).toMatchObject({ ...refunded, targetHeaders: null });
    expect(await balanceOf(ctx, agent)).toMatchObject({ balance: 20, held: 0, freeEvalAvailable: true });
    await expectNoDrift(ctx);
    // The runner that is working on it is too late.
    const outcome = { kind: 'failed', code: 'internal', message: 'x' } as const;
    expect(await settleRun(ctx, { runId: pushed.id, attempt, outcome, jobId: null })).toBe(false);
  });

  test('runs that suspensions ended do not count among the ten failed runs', async () => {
    const agent = await createTestAgent(ctx);
    for (let run = 0; run < 11; run += 1) {
      await redeem(ctx, agent.id, target);
      await suspend(agent);
      await reinstate(agent);
    }
    expect((await redeem(ctx, agent.id, target)).evalRun.status).toBe('queued');
  });

  test('a suspended agent can accept no run and no seat, and a repeated reservation returns its seat', async () => {
    const agent = await createTestAgent(ctx, { tokens: 9 });
    const [event, full] = [await createTestEvent(ctx), await createTestEvent(ctx, { seatsTotal: 1 })];
    const { id: booked } = await createTestEvent(ctx, { tokenPrice: 0 });
    const { seat } = await carryOut(ctx, booked, reserve(agent, 'booked'));
    await carryOut(ctx, full.id, reserve(await createTestAgent(ctx, { tokens: 2 })));
    await suspend(agent);
    expect(await codeOf(redeem(ctx, agent.id, target))).toBe('agent_suspended');
    expect(await codeOf(startAgentRun(actingAs(ctx, agent)))).toBe('agent_suspended');
    expect(await seatCodeOf(ctx, event.id, reserve(agent))).toBe('agent_suspended');
    expect(await seatCodeOf(ctx, full.id, wait(agent))).toBe('agent_suspended');
    expect(await carryOut(ctx, booked, reserve(agent, 'booked'))).toMatchObject({
      seat: { id: seat.id },
      replayed: true,
    });
    await reinstate(agent);
    expect(await balanceOf(ctx, agent)).toMatchObject({ balance: 9, held: 0, freeEvalAvailable: true });
    expect(await seatsOf(ctx, event.id)).toEqual([]);
    await redeem(ctx, agent.id, target);
    await carryOut(ctx, event.id, reserve(agent));
  });

  test('of runs and seats that race with a suspension, none is left when it has been carried out', async () => {
    const accepted = { runs: 0, seats: 0 };
    for (let round = 0; round < 10; round += 1) {
      const agent = await createTestAgent(ctx, { tokens: 9 });
      const event = await createTestEvent(ctx);
      let seatsToGiveBack: readonly { readonly eventId: string }[] = [];
      const acts = [
        (at: TestCtx) => redeem(at, agent.id, target),
        (at: TestCtx) => startAgentRun(actingAs(at, agent)),
        (at: TestCtx) => handleInRace(at, event.id, reserve(agent)),
        (at: TestCtx) => redeem(at, agent.id, target),
        async (at: TestCtx) => {
          await suspend(agent, null, at);
          seatsToGiveBack = await findSeatsToGiveBack(at, agent.id);
        },
      ];
      const order = acts.map((_, index) => acts[(index + round) % acts.length]!);
      const outcomes = await tally(race<unknown>(ctx, order.length, (at, index) => order[index]!(at)));
      expect(outcomes['ok']).toBeGreaterThan(0);
      const others = Object.keys(outcomes).filter((code) => code !== 'ok' && code !== 'agent_suspended');
      expect(others).toEqual([]);
      // No sweeper: the agent is reinstated before it runs.
      await reinstate(agent);
      const rows = await rowsOf(ctx, 'runs', { agentId: agent.id });
      accepted.runs += rows.length;
      expect(rows.filter(({ status }) => status !== 'failed')).toEqual([]);
      const seats = await seatsOf(ctx, event.id);
      accepted.seats += seats.length;
      expect(seatsToGiveBack.map(({ eventId }) => eventId)).toEqual(seats.map(({ eventId }) => eventId));
    }
    expect(accepted.runs + accepted.seats).toBeGreaterThan(0);
  });

  test('the sweeper ends a run that an older version accepted during the suspension', async () => {
    const agent = await createTestAgent(ctx, { tokens: 1 });
    const { evalRun } = await redeem(ctx, agent.id, target);
    const agentRun = await startAgentRun(actingAs(ctx, agent));
    await fetchTask(actingAs(ctx, agent), agentRun);
    await markSuspended(agent);
    expect(await endRunsOfAbsentAgents(ctx)).toBe(1);
    expect((await jobOf(evalRun.id)).failureCode).toBe('agent_suspended');
    expect((await readAgentRun(ctx, agentRun.id)).run).toMatchObject(refunded);
    expect(await balanceOf(ctx, agent)).toMatchObject({ balance: 1, held: 0 });
    await expectNoDrift(ctx);
    expect(await endRunsOfAbsentAgents(ctx)).toBe(0);
  });

  test('a suspended agent whose runs cannot be ended holds up no other one', async () => {
    const absent = [
      await createTestAgent(ctx, { tokens: 1 }),
      await createTestAgent(ctx, { tokens: 1 }),
    ] as const;
    const jobs = await Promise.all(absent.map(async ({ id }) => (await redeem(ctx, id, target)).evalRun.id));
    const setProduct = (product: string) => changeRows(ctx, 'runs', { id: jobs[0]! }, { product });
    await setProduct('gone-run');
    for (const agent of absent) await markSuspended(agent);
    const setbacks = new Setbacks(ctx.clock);
    await expect(endRunsOfAbsentAgents(ctx, setbacks)).rejects.toThrow(
      `These absent agents keep open runs: ${absent[0].id}.`,
    );
    expect((await jobOf(jobs[1]!)).failureCode).toBe('agent_suspended');
    expect(await endRunsOfAbsentAgents(ctx, setbacks)).toBe(0);
    await setProduct('eval-run');
    ctx.clock.advance(60_000);
    expect(await endRunsOfAbsentAgents(ctx, setbacks)).toBe(1);
    expect((await jobOf(jobs[0]!)).chargeState).toBe('refunded');
  });

  test('a suspension that races with settling and starting runs ends each run once', async () => {
    for (let round = 0; round < 4; round += 1) {
      const agent = await createTestAgent(ctx, { tokens: 5, freeEvalTaken: true });
      const { evalRun } = await redeem(ctx, agent.id, target);
      await startAgentRun(actingAs(ctx, agent));
      const { attempt } = await claimTestRun(ctx, evalRun.id);
      const outcome = { kind: 'failed', code: 'target_timeout', message: 'x' } as const;
      const settle = { runId: evalRun.id, attempt, outcome, jobId: null };
      const acts = [
        (at: TestCtx) => suspend(agent, null, at),
        (at: TestCtx) => settleRun(at, settle),
        (at: TestCtx) => redeem(at, agent.id, target),
        (at: TestCtx) => startAgentRun(actingAs(at, agent)),
      ];
      const outcomes = await tally(race<unknown>(ctx, acts.length, (at, index) => acts[index]!(at)));
      expect(Object.keys(outcomes).filter((code) => code !== 'ok' && code !== 'agent_suspended')).toEqual([]);
      expect(await endRunsOfAbsentAgents(ctx)).toBe(0);
      expect(await balanceOf(ctx, agent)).toMatchObject({ balance: 5, held: 0 });
    }
    await expectNoDrift(ctx);
  });

  test('the webhooks of a suspended agent receive only the notice of the suspension', async () => {
    const agent = await createTestAgent(ctx);
    const { webhook } = await register(ctx, agent, 'http://127.0.0.1:9/hook');
    await suspend(agent);
    await tell(ctx, agent);
    const kinds = async () => (await deliveriesOf(ctx, webhook.id)).map(({ kind }) => kind);
    expect(await kinds()).toEqual(['moderation.suspended']);
    ctx.clock.advance(1);
    await reinstate(agent);
    ctx.clock.advance(1);
    await tell(ctx, agent);
    expect(await kinds()).toEqual(['moderation.suspended', 'moderation.reinstated', 'waitlist.open']);
  });
});
