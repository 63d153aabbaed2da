/** Runs of published suites on both stores: pull and push, charge, figures, and which cases are asked again. */
import { expect, test } from 'bun:test';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import type { ErrorCode } from '#domain/errors.ts';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { compareRuns } from '#domain/runs/compare-runs.ts';
import { exportRun } from '#domain/runs/export-run.ts';
import { findOwnRun } from '#domain/runs/find-run.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { runDeadlineMs } from '#domain/runs/run-limits.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { exportJunit } from '#evals/export/junit.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { answerPulled } from '#test/harness/eval-runs.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { answerAll, orderSuiteRun, playSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { targetAt } from '#test/harness/target.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { codeOf, balanceOf } from '../outcomes.ts';
import { deleteSuite, updateSuite } from '#domain/suites/change-suite.ts';

const greet = { id: 'greet', prompt: 'Say hello.', tags: ['easy'], expect: [{ equals: 'hello' }] };
const sum = {
  id: 'sum',
  messages: [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Add 17.50 and 4.25.' },
    { role: 'assistant', content: '', tool_calls: [{ id: 'c1', name: 'add', arguments: { to: 17.5 } }] },
    { role: 'tool', tool_call_id: 'c1', content: '21.75' },
    { role: 'assistant', content: '21.75' },
    { role: 'user', content: 'Plus 19 % tax?' },
  ],
  tags: ['hard'],
  weight: 3,
  expect: [{ number: 25.88, within: 0.005 }],
};
const route = {
  id: 'route',
  prompt: 'Where does this ticket go?',
  tools: [{ name: 'route', description: 'Routes a ticket.', parameters: { type: 'object' } }],
  expect: [{ tool_calls: [{ name: 'route', arguments: { queue: 'billing' } }] }],
};
const documentOf = (name: string, more: object = {}) => ({
  suite: 1,
  name,
  system: 'You answer customers.',
  cases: [greet, sum, route],
  ...more,
});
const rightAnswers: Readonly<Record<string, object>> = {
  greet: { text: 'hello' },
  sum: { text: '25.88' },
  route: { text: '', toolCalls: [{ name: 'route', arguments: { queue: 'billing', note: 'x' } }] },
};

forEachStore((store) => {
  const ctx = useTestCtx(store, { targetAddresses: createAddressPolicy(['loopback']) });
  const as = useAgentCtx(ctx, { tokens: 20 });
  const ada = as.agent;

  const publish = (name: string, more: object = {}) => publishTestSuite(as, documentOf(name, more));
  const refOf = (name: string) => `@${ada.handle}/${name}`;
  const setVisibility = (name: string, visibility: 'hidden' | 'open') =>
    updateSuite(as, { owner: ada.handle, name, visibility });

  /** Answers every case as `reply` says, by its id without the trial, and rightly where it says nothing. */
  const answer = (runId: string, reply: (id: string, trial?: string) => string | null = () => null) =>
    answerAll(as, runId, (caseId) => {
      const [id = '', trial] = caseId.split('/');
      const text = reply(id, trial);
      return text === null ? { text: '', ...rightAnswers[id] } : { text };
    });

  test('an agent fetches each case as often as it has trials, and gets pass rate, pass^k and flaky cases', async () => {
    await publish('trials', { defaults: { trials: 3 } });
    const run = await orderSuiteRun(as, refOf('trials'), { label: 'main' });
    const asked = { suiteName: refOf('trials'), suiteVersion: '1', runSize: 9, trials: 3, label: 'main' };
    const charge = { chargeTokens: 0, chargeFree: true };
    expect(run).toMatchObject({ product: 'suite-run', mode: 'pull', ...asked, ...charge });
    const { cases } = await handOutCases(as, { runId: run.id, limit: 3 });
    expect(cases).toMatchObject([
      { caseId: 'greet/1', system: 'You answer customers.', messages: [{ content: 'Say hello.' }] },
      { caseId: 'sum/1', system: 'You answer customers.\n\nBe short.', step: 0 },
      { caseId: 'route/1', tools: [{ name: 'route', parameters: { type: 'object' } }] },
    ]);
    const said = cases[1]?.messages ?? [];
    expect(said).toMatchObject([{}, { calls: [{ id: 'c1' }] }, { id: 'c1', content: '21.75' }, {}, {}]);
    expect(await codeOf(answerPulled(as, run.id, [{ caseId: 'greet', text: '' }]))).toBe('case_not_found');
    await answer(run.id, (id, trial) => (id === 'greet' && trial === '2' ? 'hi' : null));
    const { run: ended, result, cases: shown } = await showOwnRun(as, { runId: run.id, withCases: true });
    // Weights 1, 3 and 1; one of three trials of the first case failed.
    const end = { status: 'completed', chargeState: 'consumed', progressDone: 9 };
    expect(ended).toMatchObject({ ...end, score: expect.closeTo(280 / 3, 9) });
    expect(result).toMatchObject({
      pass_rate: { value: 0.933 },
      pass_k: { k: 3, value: 0.8 },
      flaky: ['greet'],
      tags: { easy: { value: 0.667, cases: 1, answered: 1 }, hard: { value: 1, cases: 1, answered: 1 } },
      ungraded: 0,
      usage: null,
    });
    expect(shown?.[0]).toMatchObject({
      case_id: 'greet',
      prompt: 'Say hello.',
      pass_rate: 2 / 3,
      trials: [
        { trial: 1, status: 'passed' },
        { trial: 2, status: 'failed', graders: [{ name: 'equals', expected: expect.any(String) }] },
        { trial: 3, status: 'passed' },
      ],
    });
    expect(shown?.[2]?.trials[0]).toMatchObject({
      tool_calls: [{ name: 'route', arguments: { queue: 'billing', note: 'x' } }],
    });
  });

  test('a run costs a token for every 40 replies begun, the first up to 120 is free, and a hub may take nothing', async () => {
    await publish('prices', { defaults: { trials: 8 } });
    const bob = await createTestAgent(ctx, { tokens: 5 });
    await setVisibility('prices', 'open');
    const as = actingAs(ctx, bob);
    const balance = () => balanceOf(ctx, bob);
    expect(await orderSuiteRun(as, refOf('prices'))).toMatchObject({ chargeTokens: 0, chargeFree: true });
    expect(await balance()).toMatchObject({ balance: 5, freeSuiteRunAvailable: false });
    const paid = await orderSuiteRun(as, refOf('prices'), { trials: 5 });
    expect(paid).toMatchObject({ chargeTokens: 1, chargeFree: false, runSize: 15 });
    expect(await balance()).toMatchObject({ balance: 4, held: 1 });
    expect(await cancelRun(as, { runId: paid.id })).toMatchObject({ chargeState: 'refunded' });
    expect(await balance()).toMatchObject({ balance: 5, held: 0 });
    const rules = { ...ctx.rules, suiteRunRepliesPerToken: 0 };
    const nothing = await orderSuiteRun({ ...as, rules }, refOf('prices'));
    expect(nothing).toMatchObject({ chargeTokens: 0, chargeFree: false });
    expect(await cancelRun(as, { runId: nothing.id })).toMatchObject({ chargeState: 'refunded' });
    expect(await balance()).toMatchObject({ balance: 5 });
    const wrong: readonly (readonly [object, ErrorCode])[] = [
      [{ suite: undefined }, 'invalid_body'],
      [{ suite: refOf('nothing') }, 'not_found'],
      [{ version: 7 }, 'not_found'],
      [{ only: 'tag:none' }, 'invalid_body'],
      [{ only: 'tag:easy', ranked: true }, 'invalid_body'],
      [{ limit: 1, ranked: true }, 'invalid_body'],
      [{ product: 'eval-run', trials: 2 }, 'invalid_body'],
    ];
    for (const [order, code] of wrong)
      expect(await codeOf(orderSuiteRun(as, refOf('prices'), order))).toBe(code);
    expect(await orderSuiteRun(as, refOf('prices'), { only: 'tag:easy' })).toMatchObject({ runSize: 8 });
  });

  test('an order that is refused leaves its suite deletable', async () => {
    await publish('unpaid');
    await setVisibility('unpaid', 'open');
    const poor = actingAs(ctx, await createTestAgent(ctx));
    const refused = orderSuiteRun(poor, refOf('unpaid'), { ranked: true });
    expect(await codeOf(refused)).toBe('insufficient_tokens');
    await deleteSuite(as, { owner: ada.handle, name: 'unpaid' });
  });

  test('a pushed run has 60 minutes, or 15 seconds for each of more than 240 replies', async () => {
    const cases = Array.from({ length: 31 }, (_, at) => ({ ...greet, id: `greet-${at}` }));
    await publish('long', { cases });
    const target = targetAt('http://127.0.0.1:9/');
    const deadlineMs = async (trials: number) =>
      runDeadlineMs(ctx.rules, await orderSuiteRun(as, refOf('long'), { target, trials }));
    expect(await deadlineMs(1)).toBe(3_600_000);
    expect(await deadlineMs(8)).toBe(248 * 15_000);
  });

  test('only the cases that did not pass are asked again, and what is compared is said of how many', async () => {
    await publish('again');
    const order = (more: object) => orderSuiteRun(as, refOf('again'), more);
    expect(await codeOf(order({ only: 'failed' }))).toBe('invalid_body');
    const first = await order({});
    await answer(first.id, (id) => (id === 'greet' ? null : 'no'));
    const second = await order({ only: 'failed' });
    expect(second).toMatchObject({ runSize: 2, only: { of: 3, places: [1, 2] } });
    await answer(second.id, (id) => (id === 'sum' ? null : 'no'));
    const compared = await compareRuns(as, { runId: first.id, otherRunId: second.id });
    expect(compared).toMatchObject({ fixed: ['sum'], broken: [], reach: { compared: 2 } });
    const third = await order({ only: 'failed' });
    expect(third.only?.places).toEqual([2]);
    const again = await order({ only: 'failed', baseline: first.id, limit: 1 });
    expect(again.only?.places).toEqual([1]);
    for (const { id } of [third, again]) await cancelRun(as, { runId: id });
  });

  test('cases that lost assertions at their import are named in the figures, in exports and in reports', async () => {
    const lost = ['assert: perplexity'];
    await publish('partial', {
      left_out: 3,
      cases: [
        { ...greet, lost },
        { ...greet, id: 'whole' },
      ],
    });
    const runId = await playSuiteRun(as, refOf('partial'), 'hello');
    const { result, unseen } = await showOwnRun(as, { runId });
    expect(result?.partial).toEqual(['greet']);
    expect(unseen).toEqual([
      'When the suite was imported, 3 cases of the source had no counterpart and were left out.',
      '1 case lost assertions when the suite was imported, and passes without them: greet.',
    ]);
    const exported = await exportRun(as, await findOwnRun(as, { runId }));
    const items = await Array.fromAsync(exported.items());
    expect(exported.leftOutCases).toBe(3);
    expect(await Array.fromAsync(exportJunit(exported))).toContain(
      '<property name="cases_left_out_at_import" value="3"/>\n',
    );
    expect([exported.partialCases, items.map((item) => item.lost)]).toEqual([['greet'], [lost, undefined]]);
  });
});
