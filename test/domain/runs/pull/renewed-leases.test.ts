/** A program that renews its leases gives its cases back when it vanishes, as if it had never had them. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { OpenDatabase } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import type { AgentCtx } from '#domain/context.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { answerPulled, readPulledRun, redeem } from '#test/harness/eval-runs.ts';
import { forEachStore } from '#test/harness/stores.ts';

const renewableMs = 60_000;

forEachStore((store) => {
  let second: OpenDatabase;
  let ctx: TestCtx;
  /** The agent in two processes. */
  let one: AgentCtx;
  let other: AgentCtx;
  let runId: string;

  beforeAll(async () => {
    second = await openDatabase(store.setting);
  });
  afterAll(() => second.close());
  beforeEach(async () => {
    ctx = createTestCtx(store.db);
    const agent = await createTestAgent(ctx, { tokens: 5 });
    one = actingAs(ctx, agent);
    other = { ...one, db: second };
    runId = (await redeem(ctx, agent.id, null)).evalRun.id;
  });

  const fetchAs = (as: AgentCtx, worker: string, limit = 1) =>
    handOutCases(as, { runId, worker, limit, renewableMs });

  test('a lease that is not renewed is handed to another worker, and the hand-out does not count', async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 5; round += 1) {
      const { cases } = await fetchAs(round % 2 === 0 ? one : other, `vanishing-${round}`);
      expect(cases).toHaveLength(1);
      seen.add(cases[0]!.caseId);
      expect(cases[0]!.expiresAt.getTime() - ctx.clock.now().getTime()).toBe(renewableMs);
      ctx.clock.advance(renewableMs);
    }
    expect(seen.size).toBe(1);
    const [caseId = ''] = seen;
    for (let [step, done] = [0, false]; !done; step += 1) {
      const [again] = (await fetchAs(one, 'resumed')).cases;
      expect([again?.caseId, again?.step]).toEqual([caseId, step]);
      ({ done } = (await answerPulled(one, runId, [{ caseId, text: 'late but here' }])).cases[0]!);
    }
    const { cases } = await readPulledRun(ctx, runId);
    expect(cases).toMatchObject([{ attempts: 1, status: expect.not.stringMatching('error') }]);
  });

  test('a fetch with limit 0 renews the leases of its worker only, and fetches nothing', async () => {
    const [mine] = (await fetchAs(one, 'mine')).cases;
    const [lost] = (await fetchAs(one, 'lost')).cases;
    for (let beat = 0; beat < 9; beat += 1) {
      ctx.clock.advance(renewableMs / 2);
      const { cases, ended } = await fetchAs(beat % 2 === 0 ? one : other, 'mine', 0);
      expect([cases, ended]).toEqual([[], false]);
    }
    const taken = (await fetchAs(other, 'third', 1)).cases.map(({ caseId }) => caseId);
    expect(taken).toEqual([lost!.caseId]);
    expect((await fetchAs(one, 'mine')).cases.map(({ caseId }) => caseId)).toEqual([mine!.caseId]);
  });

  test('a lease from the time when the clock was ahead is handed out again', async () => {
    ctx.clock.advance(3 * 3_600_000);
    const [first] = (await fetchAs(one, 'vanished')).cases;
    ctx.clock.advance(-3 * 3_600_000);
    expect((await fetchAs(other, 'next')).cases.map(({ caseId }) => caseId)).toEqual([first!.caseId]);
  });

  test('of a worker that was thought dead and its successor, one answers', async () => {
    const [first] = (await fetchAs(one, 'slow')).cases;
    ctx.clock.advance(renewableMs);
    const [second] = (await fetchAs(other, 'quick')).cases;
    expect(second?.caseId).toBe(first!.caseId);
    const { caseId, step } = first!;
    const calls = [one, other].map((as, place) =>
      answerPulled(as, runId, [{ caseId, step, text: `x${place}` }]),
    );
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('leases that are not renewed last ten minutes, twice', async () => {
    const fetch = async () => (await handOutCases(one, { runId, limit: 1 })).cases[0];
    const first = await fetch();
    for (const minutes of [10, 10]) {
      expect((await fetch())?.caseId).toBe(first!.caseId);
      ctx.clock.advance(minutes * 60_000);
    }
    expect((await fetch())?.caseId).not.toBe(first!.caseId);
    expect((await readPulledRun(ctx, runId)).cases).toMatchObject([{ status: 'error' }]);
  });
});
