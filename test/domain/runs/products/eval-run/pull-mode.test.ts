/** Pull mode on both stores: leases, turns, the two stages, the charge, and two processes at once. */
import { expect, test } from 'bun:test';
import type { AgentCtx } from '#domain/context.ts';
import { endDueRuns } from '#domain/runs/sweep-runs.ts';
import { type HandedOutCase, handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { leaseMs } from '#domain/runs/pull/pull-run.ts';
import { pullRunMs, unfetchedMs } from '#domain/runs/run-limits.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { openAnswerBook } from '#test/harness/answer-book.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import {
  answerPulled,
  finishPulled,
  plainRunSize,
  readPulledRun,
  redeem,
  answerEach,
} from '#test/harness/eval-runs.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf } from '../../../outcomes.ts';
import { useOtherProcess } from '../../../two-processes.ts';

forEachStore((store) => {
  const base = useTestCtx(store);
  const { clock } = base;
  const otherDb = useOtherProcess(store);
  const seeds: string[] = [];
  const book = openAnswerBook(() => seeds);

  async function startRun(ranked = false) {
    const agent = await createTestAgent(base, { tokens: 2, freeEvalTaken: true });
    const { evalRun } = await redeem(base, agent.id, null, { ranked });
    seeds.push(evalRun.suiteSeed);
    return { ctx: { ...base, agent }, other: { ...base, db: otherDb, agent }, runId: evalRun.id };
  }

  /** A run whose first four cases are answered, so that the next twelve are open. */
  async function startCopies() {
    const started = await startRun();
    const { cases } = await handOutCases(started.ctx, { runId: started.runId, limit: 4 });
    await answer(started.ctx, started.runId, cases);
    return started;
  }

  const promptsOf = ({ messages }: HandedOutCase) =>
    messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  const bestOf = (one: HandedOutCase) => book.find(promptsOf(one))?.best ?? '';
  const answer = (ctx: AgentCtx, runId: string, cases: readonly HandedOutCase[], text = bestOf) =>
    answerEach(ctx, runId, cases, text);

  test('two processes serve the cases of a run and accept its answers, and it ends with the full score', async () => {
    const { ctx, other, runId } = await startRun();
    let ended = false;
    let round = 0;
    while (!ended && round < 90) {
      round += 1;
      const fetch = (as: AgentCtx, worker: string) => handOutCases(as, { runId, limit: 4, worker });
      const [{ cases: one }, { cases: two }] = await Promise.all([fetch(ctx, 'one'), fetch(other, 'two')]);
      const ids = [...one, ...two].map(({ caseId }) => caseId);
      expect(new Set(ids).size).toBe(ids.length);
      const send = (as: AgentCtx, cases: readonly HandedOutCase[]) =>
        cases.length === 0 ? null : answer(as, runId, cases);
      const results = await Promise.all([send(other, one), send(ctx, two)]);
      ended = results.some((result) => result?.ended === true);
    }
    const run = await readPulledRun(ctx, runId);
    const perfect = { status: 'completed', score: 100, progressDone: plainRunSize };
    expect(run.job).toMatchObject({ ...perfect, chargeState: 'consumed' });
    expect(run.positions).toEqual(Array.from({ length: plainRunSize }, (_, index) => index + 1));
    expect(run.balance).toBe(1);
    expect(await handOutCases(ctx, { runId, limit: 1 })).toEqual({ cases: [], remaining: 0, ended: true });
    const late = answerPulled(ctx, runId, [{ caseId: `${runId}.0`, text: 'late' }]);
    expect(await codeOf(late)).toBe('run_ended');
  });

  test('the next stage opens once every case of the one before has been answered', async () => {
    const { ctx, runId } = await startRun();
    const first = (await handOutCases(ctx, { runId, limit: 8, worker: 'a' })).cases;
    expect(first.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    const waiting = { cases: [], remaining: plainRunSize, ended: false, noneNew: { leased: 4 } };
    expect(await handOutCases(ctx, { runId, limit: 1, worker: 'b' })).toMatchObject(waiting);
    await answer(ctx, runId, first.slice(0, 3), () => 'no');
    expect((await handOutCases(ctx, { runId, limit: 8, worker: 'b' })).cases).toEqual([]);
    await answer(ctx, runId, first.slice(3));
    const { cases } = await handOutCases(ctx, { runId, limit: 20, worker: 'b' });
    expect(cases.map(({ index }) => index)).toEqual(Array.from({ length: 12 }, (_, place) => 4 + place));
  });

  test('prompts grow until one fails, and each waits for the one before', async () => {
    const { ctx, runId } = await startRun();
    const lengths: number[] = [];
    for (let round = 0; round < 40; round += 1) {
      const { cases, ended } = await handOutCases(ctx, { runId, limit: 8 });
      if (ended) break;
      const isLong = cases.length === 1 && promptsOf(cases[0]!)[0]?.includes('Mark: ') === true;
      if (isLong) lengths.push(promptsOf(cases[0]!)[0]!.length);
      await answer(ctx, runId, cases, (one) =>
        promptsOf(one)[0]!.length > 10_000 ? 'ANSWER: nothing' : bestOf(one),
      );
    }
    const { job } = await readPulledRun(ctx, runId);
    expect([job.status, lengths.length]).toEqual(['completed', 8]);
    // It passed at 2,000 tokens, failed twice at 4,000, and the longest one shows which part is missing.
    expect(lengths[3]).toBeLessThan(lengths[5]!);
    const { findings, result } = await showOwnRun(ctx, { runId });
    expect(findings?.[0]?.sentence).toMatch(/^Prompts of more than [\d,]+ characters/);
    expect(result?.marks['length-1']).toBe('p');
  });

  test('a worker gets the cases that it has not answered again, with their first deadline, before new ones', async () => {
    const { ctx, other, runId } = await startCopies();
    const first = await handOutCases(ctx, { runId, limit: 3 });
    expect(first.cases).toMatchObject([4, 5, 6].map((index) => ({ index, again: false })));
    clock.advance(60_000);
    // From another process, as after a restart.
    const next = await handOutCases(other, { runId, limit: 5 });
    expect(next.cases.slice(0, 3)).toEqual(first.cases.map((one) => ({ ...one, again: true })));
    expect(next.cases.slice(3)).toMatchObject([7, 8].map((index) => ({ index, again: false })));
    expect(next.noneNew).toBeUndefined();
    // Those that come again count towards the limit.
    const full = await handOutCases(ctx, { runId, limit: 2 });
    expect(full.cases).toMatchObject([4, 5].map((index) => ({ index, again: true })));
    expect(full.noneNew).toEqual({
      leased: 5,
      nextAt: first.cases[0]!.expiresAt,
      reason:
        'The limit is 2, and 5 cases of this worker wait for an answer. Answer first, or raise the limit.',
    });
    for (const { caseId } of next.cases.slice(0, 4)) await finishPulled(ctx, runId, caseId, 'no');
    const after = await handOutCases(ctx, { runId, limit: 2 });
    expect(after.cases[0]).toMatchObject({ index: 8, again: true });
    expect(after.cases[1]!.again).toBe(false);
  });

  test('leases belong to a worker: others get other cases, and a response without new ones says why and until when', async () => {
    const { ctx, other, runId } = await startCopies();
    const [a, b] = await Promise.all([
      handOutCases(ctx, { runId, limit: 8, worker: 'a' }),
      handOutCases(other, { runId, limit: 8, worker: 'b' }),
    ]);
    const ids = [...a.cases, ...b.cases].map(({ caseId }) => caseId);
    expect([ids.length, new Set(ids).size]).toEqual([12, 12]);
    const none = await handOutCases(ctx, { runId, limit: 8, worker: 'c' });
    const earliest = Math.min(...[...a.cases, ...b.cases].map(({ expiresAt }) => expiresAt.getTime()));
    const reason =
      'Every open case is leased to another worker of this agent: a, b. The next answer, or the end of a lease, may free one.';
    const noneNew = { leased: 12, nextAt: new Date(earliest), reason };
    expect(none).toEqual({ cases: [], remaining: plainRunSize - 4, ended: false, noneNew });
    const again = await handOutCases(ctx, { runId, limit: 8, worker: 'a' });
    expect(again.cases.map(({ caseId }) => caseId)).toEqual(a.cases.map(({ caseId }) => caseId));
    // Any worker may answer, and a lease that has ended moves to whoever asks.
    await answer(other, runId, a.cases.slice(0, 1));
    clock.advance(leaseMs);
    const moved = await handOutCases(ctx, { runId, limit: 8, worker: 'c' });
    const expiresAt = new Date(clock.now().getTime() + leaseMs);
    expect(moved.cases).toMatchObject(Array.from({ length: 8 }, () => ({ again: false, expiresAt })));
  });

  test('the fetch that finds the last case of a stage expired returns cases of the next', async () => {
    const { ctx, runId } = await startRun();
    const { cases: first } = await handOutCases(ctx, { runId, limit: 4 });
    await answer(ctx, runId, first.slice(0, 3));
    clock.advance(leaseMs);
    expect((await handOutCases(ctx, { runId, limit: 1 })).cases[0]).toMatchObject({ index: 3 });
    clock.advance(leaseMs);
    const { cases, noneNew } = await handOutCases(ctx, { runId, limit: 1 });
    expect(cases[0]!.index).toBe(4);
    expect(noneNew).toBeUndefined();
  });

  test('a case can be leased a second time, can be answered until then, and is an error after that', async () => {
    const { ctx, runId } = await startRun();
    const [first] = (await handOutCases(ctx, { runId, limit: 1 })).cases;
    clock.advance(leaseMs);
    const [again] = (await handOutCases(ctx, { runId, limit: 1 })).cases;
    expect(again!.caseId).toBe(first!.caseId);
    clock.advance(leaseMs - 1);
    const [second] = (await handOutCases(ctx, { runId, limit: 1, worker: 'b' })).cases;
    expect(second!.index).toBe(1);
    clock.advance(1);
    expect(await codeOf(answer(ctx, runId, [again!]))).toBe('case_answered');
    await handOutCases(ctx, { runId, limit: 1 });
    const { cases } = await readPulledRun(ctx, runId);
    expect(cases).toMatchObject([{ index: 0, status: 'error', error_code: 'not_answered', score: 0 }]);
    // Its first lease has run out and nobody else has fetched it.
    clock.advance(leaseMs);
    expect(await answer(ctx, runId, [second!])).toMatchObject({ accepted: 1 });
  });

  test('a batch with one bad case changes nothing', async () => {
    const { ctx, runId } = await startRun();
    const { runId: foreign, ctx: stranger } = await startRun();
    const { cases } = await handOutCases(ctx, { runId, limit: 2 });
    const [elsewhere] = (await handOutCases(stranger, { runId: foreign, limit: 1 })).cases;
    const [one, other] = cases.map(({ caseId }) => ({ caseId, text: 'x' }));
    for (const [bad, code] of [
      [{ caseId: elsewhere!.caseId, text: 'x' }, 'case_not_found'],
      [{ caseId: `${runId}.30`, text: 'x' }, 'case_not_found'],
      [{ caseId: 'nonsense', text: 'x' }, 'case_not_found'],
      [one!, 'case_answered'],
      [{ ...other!, text: 'x'.repeat(256 * 1024) }, 'body_too_large'],
    ] as const)
      expect(await codeOf(answerPulled(ctx, runId, [one!, bad]))).toBe(code);
    expect((await readPulledRun(ctx, runId)).cases).toEqual([]);
    const foreignAgent = handOutCases(stranger, { runId, product: 'eval-run', limit: 1 });
    expect(await codeOf(foreignAgent)).toBe('run_not_found');
  });

  test('60 minutes after the first fetch, a ranked run ends and is charged, and unanswered cases score 0', async () => {
    const { ctx, runId } = await startRun(true);
    await handOutCases(ctx, { runId, limit: 1 });
    clock.advance(pullRunMs - 1);
    await endDueRuns(ctx);
    expect((await readPulledRun(ctx, runId)).job.status).toBe('running');
    clock.advance(2);
    await endDueRuns(ctx);
    const run = await readPulledRun(ctx, runId);
    const charged = { status: 'completed', score: 0, chargeState: 'consumed', progressDone: 0 };
    expect(run.job).toMatchObject(charged);
    expect(run.cases.every(({ status }) => status === 'error')).toBe(true);
    expect(run.balance).toBe(1);
  });

  test('a run whose cases were never fetched is refunded after 24 hours, unless it is ranked', async () => {
    const plain = await startRun();
    const ranked = await startRun(true);
    clock.advance(unfetchedMs + 1);
    await endDueRuns(plain.ctx);
    const refunded = await readPulledRun(plain.ctx, plain.runId);
    const unfetched = { status: 'failed', failureCode: 'deadline_exceeded', chargeState: 'refunded' };
    expect(refunded.job).toMatchObject(unfetched);
    expect(refunded.balance).toBe(2);
    const counted = await readPulledRun(ranked.ctx, ranked.runId);
    expect(counted.job).toMatchObject({ status: 'completed', score: 0, chargeState: 'consumed' });
  });

  test('a push run has no cases to fetch', async () => {
    const agent = await createTestAgent(base, { tokens: 1, freeEvalTaken: true });
    const { evalRun } = await redeem(base, agent.id, 'http://127.0.0.1:9/');
    const fetched = handOutCases({ ...base, agent }, { runId: evalRun.id, limit: 1 });
    expect(await codeOf(fetched)).toBe('not_pull_mode');
    const rows = await rowsOf(base, 'jobs', { kind: 'run' });
    expect(rows.map(({ payload }) => (payload as { runId: string }).runId)).toEqual([evalRun.id]);
  });
});
