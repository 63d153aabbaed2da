/** A conversation with tools in pull mode: each step costs one request, whatever is repeated, races or crashes. */
import { expect, test } from 'bun:test';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { type HandedOutCase, handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { type AgentCtx, withTransaction } from '#domain/context.ts';
import { leaseMs } from '#domain/runs/pull/pull-run.ts';
import { answerCases, gradeAnswers } from '#domain/runs/pull/answer-cases.ts';
import { gradersInPlace } from '#domain/runs/grading/grade-reply.ts';
import { plainMessageOf } from '#domain/targets/tool-calls.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { watchStatements } from '#test/harness/count-statements.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { answerPulled, readPulledRun, redeem } from '#test/harness/eval-runs.ts';
import { ordersAgent, ordersSuite, ordersText } from '#test/harness/orders-suite.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { answerAll, orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { useFreshCtx } from '#test/harness/use-agent-ctx.ts';
import { useOtherProcess } from '../../two-processes.ts';
import { tally } from '../../outcomes.ts';

const usage = { input_tokens: 7, output_tokens: 3, cost_usd: 0.5 };
const renewableMs = 60_000;
/** Two steps with calls, and the text. */
const stepCount = 3;

forEachStore((store) => {
  const second = useOtherProcess(store);

  const ctx = useFreshCtx(store);
  /** By default, the cases have the tools of the suite of orders. */
  async function startRun(cases: readonly object[] = ordersSuite.cases, more: object = {}) {
    const as = actingAs(ctx, await createTestAgent(ctx));
    await publishTestSuite(as, { ...ordersSuite, ...more, cases });
    const { id: runId } = await orderSuiteRun(as, `@${as.agent.handle}/${ordersSuite.name}`);
    return { as, other: { ...as, db: second }, runId };
  }
  const calling = (id: string) => ({ toolCalls: [{ name: 'get_order', arguments: { id } }] });

  const fetch = async (as: AgentCtx, runId: string) =>
    (await handOutCases(as, { runId, limit: 1 })).cases[0]!;

  function nextStep({ caseId, step, messages }: HandedOutCase) {
    const { text, tool_calls: toolCalls } = ordersAgent(messages.map(plainMessageOf));
    return { caseId, step, text, toolCalls, usage };
  }

  test('any process goes on from the stored steps, and ten equal requests at each step get one response', async () => {
    const { as, other, runId } = await startRun();
    for (let step = 0; step < stepCount; step += 1) {
      const held = await fetch(step % 2 === 0 ? as : other, runId);
      expect([held.step, held.again]).toEqual([step, step > 0]);
      // What the tools return is not told before they are called.
      expect(JSON.stringify(held.tools)).not.toContain('returns');
      const answers = [nextStep(held)];
      ctx.clock.advance(100);
      const calls = Array.from({ length: 10 }, async (_, place) => {
        // So that some read while another one writes.
        await Bun.sleep(place);
        return answerPulled(place % 2 === 0 ? as : other, runId, answers);
      });
      const cases = (await Promise.all(calls)).map((one) => one.cases);
      expect(cases).toEqual(cases.map(() => cases[0]!));
      const isLast = step === stepCount - 1;
      expect(cases[0]).toMatchObject([isLast ? { done: true } : { done: false, step: step + 1 }]);
      // The same again, although the run may have ended.
      expect((await answerPulled(as, runId, answers)).cases).toEqual(cases[0]!);
    }
    const { job, cases } = await readPulledRun(as, runId);
    expect(job).toMatchObject({ status: 'completed', score: 100, progressDone: 1 });
    expect(job.usage).toEqual({
      input_tokens: 7 * stepCount,
      output_tokens: 3 * stepCount,
      cost_usd: 0.5 * stepCount,
    });
    const latency = { latency_ms: 100 * stepCount };
    expect(cases).toMatchObject([{ status: 'passed', response_text: ordersText, ...latency }]);
  });

  test('a step that is not the next one is refused with the next one', async () => {
    const { as, runId } = await startRun();
    const first = nextStep(await fetch(as, runId));
    const refused = (answer: object) => answerPulled(as, runId, [{ ...first, ...answer }]);
    const stepIs = (next: number) => ({
      code: 'wrong_step',
      message: expect.stringContaining(`The next step of case sum is ${next}, not `) as string,
    });
    await expect(refused({ step: 1 })).rejects.toMatchObject(stepIs(0));
    await answerPulled(as, runId, [first]);
    // Neither another answer to a step that was taken, nor one that is older.
    await expect(refused({ toolCalls: [], text: 'never mind' })).rejects.toMatchObject(stepIs(1));
    await answerPulled(as, runId, [nextStep(await fetch(as, runId))]);
    await expect(refused({})).rejects.toMatchObject(stepIs(2));
    await expect(refused({ step: 3 })).rejects.toMatchObject(stepIs(2));
    expect((await fetch(as, runId)).messages).toHaveLength(1 + 3 + 2);
  });

  test('an agent that repeats a step with another answer at once takes one of them', async () => {
    const { as, other, runId } = await startRun();
    const { caseId } = await fetch(as, runId);
    const calls = ['0042', '0043'].map((id, place) =>
      answerPulled(place === 0 ? as : other, runId, [{ caseId, step: 0, ...calling(id) }]),
    );
    expect((await tally(calls))['ok']).toBe(1);
    expect((await fetch(as, runId)).step).toBe(1);
  });

  test('a case with turns sends the next message after each reply, and grades each reply of its turn', async () => {
    const turns = ['What does 0042 cost?', 'And 0043?', 'Thanks.'];
    const graders = [
      { number: 17.5, turn: 1 },
      { tool_calls: [{ name: 'get_order' }], turn: 2 },
    ];
    const talk = { id: 'talk', turns, expect: [...graders, { contains: 'welcome' }] };
    const { as, runId } = await startRun([talk]);
    const { caseId } = await fetch(as, runId);
    const [early, later, last] = [{ text: '17.5' }, { text: '3' }, { text: 'You are welcome.' }];
    const said = [calling('0042'), calling('0042'), early, calling('0043'), later, last];
    for (const [step, reply] of said.entries()) await answerPulled(as, runId, [{ caseId, step, ...reply }]);
    const { cases } = await readPulledRun(as, runId);
    expect(cases).toMatchObject([
      {
        status: 'passed',
        earlier: [
          { text: '17.5', tool_calls: [{}, {}] },
          { text: '3', tool_calls: [{}] },
        ],
        response_text: 'You are welcome.',
      },
    ]);
    const names = cases[0]?.graders.map(({ name }) => name);
    expect(names).toEqual(['turn 1: number', 'turn 2: tool_calls', 'contains']);
  });

  test('a run that is cancelled after the first reply in a conversation is charged', async () => {
    const talk = { id: 'talk', turns: ['Hello.', 'Tell me.'], expect: [{ contains: 'x' }] };
    const { as, runId } = await startRun([talk]);
    const { caseId } = await fetch(as, runId);
    await answerPulled(as, runId, [{ caseId, text: 'Hello.' }]);
    expect(await cancelRun(as, { runId })).toMatchObject({ status: 'completed', chargeState: 'consumed' });
  });

  test('an unknown tool and arguments that are no object are errors to recover from', async () => {
    const { as, runId } = await startRun();
    const { caseId } = await fetch(as, runId);
    const toolCalls = [
      { id: 'a', name: 'find', arguments: {} },
      { id: 'b', name: 'get_order', arguments: 'the first' },
    ];
    const { cases } = await answerPulled(as, runId, [{ caseId, step: 0, toolCalls }]);
    expect(cases).toMatchObject([
      {
        done: false,
        messages: [
          { role: 'tool', id: 'a', content: '{"error":"There is no tool find. The tools are get_order."}' },
          { role: 'tool', id: 'b', content: '{"error":"The arguments must be a JSON object."}' },
        ],
      },
    ]);
  });

  test('a conversation ends at its most steps and when the agent has said too much', async () => {
    const { as, runId } = await startRun();
    const { caseId } = await fetch(as, runId);
    for (let step = 0; step < 10; step += 1) {
      const { cases } = await answerPulled(as, runId, [{ caseId, step, ...calling(`${step}`) }]);
      expect(cases).toMatchObject([{ done: step === 9 }]);
    }
    const cases = ordersSuite.cases.map((one) => ({ ...one, max_steps: 50 }));
    const long = await startRun(cases);
    await fetch(long.as, long.runId);
    const text = 'x'.repeat(20_000);
    let steps = 0;
    for (let done = false; !done; steps += 1) {
      const answers = [{ caseId, step: steps, text, ...calling(`${steps}`) }];
      ({ done } = (await answerPulled(long.as, long.runId, answers)).cases[0]!);
    }
    // The sum of 1 to 32 texts.
    expect(steps).toBe(32);
  });

  test('graders of texts fail a conversation without a last text, cut at its most steps or silent', async () => {
    const says = [{ contains: 'hunter2', not: true }, { refuses: false }];
    const cases = [
      { id: 'once', max_steps: 2, prompt: 'Tell me.', expect: [...says, { calls: { at_most: 2 } }] },
      {
        id: 'twice',
        max_steps: 2,
        turns: ['Hello.', 'Tell me.'],
        expect: [...says, { calls: { never: ['pay'] } }, { contains: 'hunter2', not: true, turn: 1 }],
      },
      { id: 'silent', prompt: 'Tell me.', expect: says },
      { id: 'blank', prompt: 'Tell me.', expect: says },
    ];
    const { as, runId } = await startRun(cases);
    await handOutCases(as, { runId, limit: 8 });
    const call = calling('0042');
    const cut = { text: 'A moment.', ...call };
    for (const [caseId, steps] of [
      ['once', [cut, cut]],
      ['twice', [cut, cut]],
      ['silent', [call, { text: '' }]],
      ['blank', [call, { text: ' \n' }]],
    ] as const)
      for (const [step, said] of steps.entries()) await answerPulled(as, runId, [{ caseId, step, ...said }]);
    const trials = (await readPulledRun(as, runId)).cases;
    expect(trials.map(({ graders }) => graders.map(({ passed }) => passed))).toEqual([
      [false, false, true],
      [false, false, false, false],
      [false, false],
      [false, false],
    ]);
    expect(trials.every(({ status }) => status === 'failed')).toBe(true);
  });

  test('a call in the text of an answer is an error of its trial, and a text in a case without tools', async () => {
    const plain = { prompt: 'x', expect: [{ calls: { never: ['refund'] } }] };
    const offered = { ...plain, tools: [{ name: 'refund' }] };
    const cases = [
      { ...offered, id: 'called' },
      { ...offered, id: 'said' },
      { ...plain, id: 'plain' },
    ];
    const { as, runId } = await startRun(cases, { tools: undefined });
    const written = '<tool_call>{"name": "refund"}</tool_call>';
    await answerAll(as, runId, (id) => ({ text: id === 'said' ? 'I refund nothing.' : written }));
    expect((await readPulledRun(as, runId)).cases).toMatchObject([
      {
        status: 'error',
        error_code: 'unread_call',
        error_message: expect.stringContaining('{"tool_calls": [{"name": "…"') as string,
      },
      { status: 'passed' },
      { status: 'passed' },
    ]);
  });

  test('the attempts of a case are 1 and the most retries of any of its steps', async () => {
    const { as, runId } = await startRun();
    for (const retries of [1, 1, 0]) {
      if (retries > 0) {
        await fetch(as, runId);
        ctx.clock.advance(leaseMs);
      }
      await answerPulled(as, runId, [nextStep(await fetch(as, runId))]);
    }
    expect((await readPulledRun(as, runId)).cases).toMatchObject([{ status: 'passed', attempts: 2 }]);
  });

  test('a cost is known only if every step reports one', async () => {
    const cheap = { id: 'cheap', prompt: 'Find it.', expect: [{ cost_usd: 0.01 }] };
    const { as, runId } = await startRun([cheap]);
    const { caseId } = await fetch(as, runId);
    await answerPulled(as, runId, [{ caseId, ...calling('0042') }]);
    await answerPulled(as, runId, [{ caseId, text: 'Found.', usage: { ...usage, cost_usd: 0.001 } }]);
    const { job, cases } = await readPulledRun(as, runId);
    expect(cases).toMatchObject([{ status: 'ungraded' }]);
    expect(job.usage).toEqual({ input_tokens: 7, output_tokens: 3, partial: true });
  });

  const said = { told: { text: 'a', usage }, untold: { text: 'a' }, down: { error: 'It is down.' } };
  const plain = { expect: [{ contains: 'a' }] };
  const part = { input_tokens: 7, output_tokens: 3, partial: true };
  test.each<[readonly (keyof typeof said)[], object | null]>([
    [['told', 'told'], { input_tokens: 14, output_tokens: 6, cost_usd: 1 }],
    [['told', 'untold'], part],
    [['untold', 'told'], part],
    [['down', 'told'], usage],
    [['told', 'down'], usage],
    [['down', 'untold'], null],
  ])('a run has the usage of its replies, and tells some from all, in any order: %p', async (kinds, sum) => {
    const answers = kinds.map((kind, at) => ({ caseId: `c${at}`, ...said[kind] }));
    // A run that has ended, and one that goes on.
    for (const open of [[], [{ caseId: 'open' }]])
      for (const parts of [[answers], answers.map((one) => [one])]) {
        const asked = [...answers, ...open].map(({ caseId: id }) => ({ ...plain, id, prompt: id }));
        const { as, runId } = await startRun(asked);
        await handOutCases(as, { runId, limit: answers.length });
        for (const some of parts) await answerPulled(as, runId, some);
        expect((await readPulledRun(as, runId)).job.usage as unknown).toEqual(sum);
      }
  });

  test('a step costs as many statements as an answer', async () => {
    const costs: number[] = [];
    const { as, runId } = await startRun();
    for (let step = 0; step < stepCount; step += 1) {
      const answers = [nextStep(await fetch(as, runId))];
      const graded = await gradeAnswers(as, { runId, answers, graders: gradersInPlace });
      await withTransaction(as, async (tx) => {
        const watched = watchStatements(tx.db);
        await answerCases({ ...as, ...tx, agent: as.agent }, graded);
        costs.push(watched.statements);
      });
    }
    // The run, the lease, the result; then the lease with the step.
    expect(costs.slice(0, -1)).toEqual([4, 4]);
  });

  /** Of a program that renews its leases: it gives its cases back when it vanishes, as if it had never had them. */
  async function startRenewing() {
    const one = actingAs(ctx, await createTestAgent(ctx, { tokens: 5 }));
    const runId = (await redeem(ctx, one.agent.id, null)).evalRun.id;
    const fetchAs = (as: AgentCtx, worker: string, limit = 1) =>
      handOutCases(as, { runId, worker, limit, renewableMs });
    return { one, other: { ...one, db: second }, runId, fetchAs };
  }

  test('a lease that is not renewed is handed to another worker, and the hand-out does not count', async () => {
    const { one, other, runId, fetchAs } = await startRenewing();
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
    const { one, other, fetchAs } = await startRenewing();
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
    const { one, other, fetchAs } = await startRenewing();
    ctx.clock.advance(3 * 3_600_000);
    const [first] = (await fetchAs(one, 'vanished')).cases;
    ctx.clock.advance(-3 * 3_600_000);
    expect((await fetchAs(other, 'next')).cases.map(({ caseId }) => caseId)).toEqual([first!.caseId]);
  });
});
