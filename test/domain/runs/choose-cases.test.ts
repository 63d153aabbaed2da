/** Which cases of a suite an order names, and what completed runs show and export of their cases. */
import { expect, test, beforeAll } from 'bun:test';
import { chooseCases, type EarlierResult } from '#domain/runs/products/suite-run/choose-cases.ts';
import type { AgentCtx } from '#domain/context.ts';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { exportRun as readRun } from '#domain/runs/export-run.ts';
import { listScores } from '#domain/runs/list-scores.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { listCases } from '#domain/runs/cases/list-cases.ts';
import { reportPlain, reportRun } from '#domain/runs/report-run.ts';
import { exportInspect } from '#evals/export/inspect.ts';
import { exportJunit } from '#evals/export/junit.ts';
import { exportJsonl } from '#evals/export/lines.ts';
import { reachText } from '#evals/report/bars.ts';
import { writeHtml } from '#evals/report/html.ts';
import { writeMarkdown, writeText } from '#evals/report/text.ts';
import { findBaseline, findOwnRun, type RunKey } from '#domain/runs/find-run.ts';
import { whole as textOf } from '#test/evals/export/exported-runs.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { plainRunSize, redeem } from '#test/harness/eval-runs.ts';
import { changeRows } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { answerAll, orderSuiteRun, playSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { codeOf } from '../outcomes.ts';

const cases = ['a-1', 'a-2', 'b-1', 'failed'].map((id) => ({
  id,
  ...(id === 'b-1' ? { title: 'Zu spätes Paket' } : {}),
  prompt: 'Say hello.',
  tags: id.startsWith('a') ? ['easy'] : [],
  expect: [{ equals: 'hello' }],
}));

const marks = { 'a-1': 'pf', 'a-2': 'e', 'b-1': 'pp', gone: 'f', failed: 'u' };
const run = { id: 'run-1' };

const choose = async (only: string | null, limit: number | null = null, mayReadCases = true) => {
  const choice = { only, limit, mayReadCases };
  const chosen = await chooseCases({ cases }, choice, () => Promise.resolve({ run, marks }));
  return chosen?.places.map((place) => cases[place]?.id) ?? null;
};

test.each([
  ['failed', ['a-1', 'a-2', 'failed']],
  ['errors', ['a-2']],
  ['b-1, a-1', ['a-1', 'b-1']],
  ['tag:easy,b-1', ['a-1', 'a-2', 'b-1']],
  ['/1$/', ['a-1', 'b-1']],
  ['/^failed$/', ['failed']],
  ['/spätes|^f/', ['b-1', 'failed']],
])('%s', async (only, ids) => {
  expect(await choose(only)).toEqual(ids);
});

test('a pattern finds no titles for a caller that may not read the cases', async () => {
  expect(await choose('/^b|spätes/', null, false)).toEqual(['b-1']);
  expect(choose('/spätes/', null, false)).rejects.toThrow('No case of this version matches `/spätes/`.');
  expect(choose('/[/', null, false)).rejects.toThrow('`/[/` is not a regular expression.');
});

test('a limit takes the first of the chosen cases', async () => {
  expect(await choose('tag:easy', 1)).toEqual(['a-1']);
  expect(await choose(null, 2)).toEqual(['a-1', 'a-2']);
  expect(await choose(null)).toBeNull();
});

test.each([
  ['tag:hard', 'No case of this version matches `tag:hard` in `only`.'],
  ['a-1,a-3', 'No case of this version matches `a-3` in `only`.'],
  ['/c/', 'No case of this version matches `/c/`.'],
  ['/(/', '`/(/` is not a regular expression.'],
  ['/a', 'is not a pattern between slashes'],
  ['/x{1000}/', 'is not a pattern between slashes'],
  [`/${'(a|b)*'.repeat(17)}/`, 'is not a pattern between slashes'],
])('%s is refused', async (only, message) => {
  expect(choose(only)).rejects.toMatchObject({
    code: 'invalid_body',
    message: expect.stringContaining(message),
  });
});

test('without a case that failed, or without an earlier run, there is nothing to ask', async () => {
  const passed = { run, marks: { 'a-1': 'p', 'b-1': 'p' } };
  const ask = (only: string, earlier: EarlierResult | null) =>
    chooseCases({ cases }, { only, limit: null, mayReadCases: true }, () => Promise.resolve(earlier));
  expect(ask('failed', passed)).rejects.toMatchObject({
    message: 'Each of the 2 cases of run run-1 passed, so none is asked again.',
    extras: { hint: 'Run all cases: leave out `only`, which is `--only` on the command line.' },
  });
  expect(ask('errors', null)).rejects.toThrow('`errors` needs a completed run of this suite');
  const gone = { run, marks: { gone: 'f' } };
  expect(ask('failed', gone)).rejects.toThrow('No case that did not pass in run run-1 is in this version');
});

/** With its items in a list. */
async function exportRun(as: AgentCtx, key: RunKey) {
  const run = await readRun(as, await findOwnRun(as, key));
  return { ...run, items: await Array.fromAsync(run.items()), lines: () => textOf(exportJsonl(run)) };
}

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const as = useAgentCtx(ctx, { tokens: 20 });
  const ada = as.agent;
  const publish = (name: string, suiteCases: readonly object[] = cases, more: object = {}) =>
    publishTestSuite(as, { suite: 1, name, ...more, cases: suiteCases });
  const play = (name: string, text: string, order: object = {}) =>
    playSuiteRun(as, `@${ada.handle}/${name}`, text, order);
  beforeAll(async () => {
    const desk = [
      { id: 'greet', prompt: 'Say hello.', tags: ['easy'], expect: [{ equals: 'tell-nobody' }] },
      { id: 'open', prompt: 'What now?', expect: [{ contains: 'now' }] },
    ];
    await publish('desk', desk, { defaults: { trials: 2 } });
    await changeRows(ctx, 'suites', { name: 'desk' }, { visibility: 'hidden' });
  });

  async function runSuite(agent: TestAgent): Promise<string> {
    return playSuiteRun(actingAs(ctx, agent), `@${ada.handle}/desk`, (caseId) => ({
      text: caseId.endsWith('/1') ? '=now' : 'later',
    }));
  }

  test('a run is compared with the newest run of all cases, and cases that a run left out are neither new nor gone', async () => {
    await publish('some');
    const finished = (text: string, more: object = {}) => play('some', text, { label: 'main', ...more });
    const whole = await finished('hello');
    const part = await finished('hello', { limit: 1 });
    const broken = await finished('bye');
    const report = (runId: string, baseline: string) => reportRun(as, { runId, baseline, failOn: 'broken' });
    for (const baseline of ['branch:main', 'latest'])
      expect(await report(broken, baseline)).toMatchObject({
        outcome: 'fell_short',
        change: { baseline: whole, reach: { compared: 4 } },
      });
    const suiteName = `@${ada.handle}/some`;
    const scores = await listScores(as, { agentId: ada.id, product: 'suite-run', suiteName });
    expect(scores.map(({ id }) => id)).toEqual([broken, whole]);
    const named = await report(broken, part);
    expect(named.change?.reach).toMatchObject({ compared: 1, cases: 4, unasked: 3, added: 0 });
    expect(reachText(named.change!.reach)).toBe('compared 1 of 4 cases; 3 were not asked in the earlier run');
    expect((await report(part, whole)).change?.reach).toMatchObject({ compared: 1, cases: 1, gone: [] });
    await publish('some', cases.slice(2));
    const cut = await finished('hello');
    expect(await report(cut, part)).toMatchObject({
      outcome: 'fell_short',
      bars: [
        { bar: 'fail_on', held: true },
        { bar: 'min_compared', held: false },
      ],
      change: { reach: { compared: 0, cases: 3, gone: ['a-1'] } },
    });
    const all = await reportRun(as, { runId: cut, baseline: whole, failOn: 'broken', minCompared: 0.51 });
    expect(all.bars[1]).toMatchObject({
      held: false,
      explanation:
        'compared 2 of 4 cases; 2 of the earlier run are gone: a-1, a-2; at least 51% must be comparable. If the suite was meant to change, add --min-compared 0 once',
    });
    const junit = exportJunit(all.run, { gone: all.change?.reach.gone });
    const written = [writeText(all), writeMarkdown(all), junit];
    expect(await Promise.all(written.map(textOf))).toEqual([
      expect.stringContaining('are gone: a-1, a-2'),
      expect.stringContaining('are gone: `a-1`, `a-2`'),
      expect.stringContaining('<property name="cases_gone" value="a-1, a-2"/>'),
    ]);
  });

  test.each([
    [{ only: 'tag:easy' }, ['a-1']],
    [{ limit: 2 }, ['a-2']],
    [{ only: 'failed' }, []],
  ])('a case that %p no longer chooses is named as gone', async (order, gone) => {
    const name = `chosen-${gone.join('')}`;
    await publish(name);
    await play(name, 'bye');
    await play(name, 'bye', order);
    const [first, ...others] = cases;
    const untagged = { ...first, tags: [] };
    await publish(name, [{ ...untagged, id: 'new' }, untagged, ...others]);
    const runId = await play(name, 'bye', order);
    const { change } = await reportRun(as, { runId, baseline: 'latest', failOn: 'broken' });
    expect(change?.reach.gone).toEqual(gone);
  });

  test('a suite run has each case with its trials; its owner reads all, a runner of a hidden suite only verdicts', async () => {
    const own = await exportRun(as, { runId: await runSuite(ada) });
    const suite = { name: `@${ada.handle}/desk`, version: '1' };
    expect(own).toMatchObject({ product: 'suite-run', suite, agent: ada.handle, trials: 2, score: 25 });
    const failed = { status: 'failed' };
    const right = { trial: 1, status: 'passed', share: 1, reply: '=now' };
    const wrong = { ...failed, trial: 2, explanation: 'contains failed.', reply: 'later' };
    expect(own.items).toMatchObject([
      { id: 'greet', tags: ['easy'], prompt: 'Say hello.', trials: [failed, failed] },
      { id: 'open', trials: [right, wrong] },
    ]);
    expect(own.items[0]?.trials[0]?.expected).toContain('tell-nobody');
    const bob = await createTestAgent(ctx);
    const run = await exportRun(actingAs(ctx, bob), { runId: await runSuite(bob) });
    const hidden = run.items.flatMap(({ trials }) => trials);
    expect(hidden.map(({ status }) => status)).toEqual(['failed', 'failed', 'passed', 'failed']);
    for (const { expected, found, explanation } of hidden)
      expect([expected, found, explanation]).toEqual([null, null, null]);
    expect(await run.lines()).not.toMatch(/tell-nobody|Say hello/);
  });

  test('open, failed and pruned runs and those of others are refused', async () => {
    const codeFor = (runId: string, agent = ada) => codeOf(exportRun(actingAs(ctx, agent), { runId }));
    const { id: open } = await orderSuiteRun(as, `@${ada.handle}/desk`);
    expect(await codeFor(open)).toBe('run_not_completed');
    expect(await cancelRun(as, { runId: open })).toMatchObject({ status: 'failed' });
    expect(await codeFor(open)).toBe('run_not_completed');
    const completed = await runSuite(ada);
    expect(await codeFor(completed, await createTestAgent(ctx))).toBe('run_not_found');
    await changeRows(ctx, 'runs', { id: completed }, { itemsPrunedAt: ctx.clock.now() });
    expect(await codeFor(completed)).toBe('gone');
  });

  const twice = { trials: 2, runSize: 2 * plainRunSize };

  test('an export has the trials of each case together, and the replies between the messages of a conversation', async () => {
    const { evalRun } = await redeem(ctx, as.agent.id, null, twice);
    await answerAll(as, evalRun.id, 'no');
    const own = await findOwnRun(as, { runId: evalRun.id });
    const run = await readRun(as, own);
    const trials = (await Array.fromAsync(run.items())).map((item) => item.trials.map(({ trial }) => trial));
    expect(trials).toEqual(Array.from({ length: plainRunSize }, () => [1, 2]));
    const { samples } = JSON.parse(await textOf(exportInspect(run)));
    const rolesOf = ({ messages }: { messages: { role: string }[] }) =>
      messages.map(({ role }) => role).filter((role) => role !== 'system');
    const longest = samples.map(rolesOf).toSorted((a: string[], b: string[]) => b.length - a.length)[0];
    expect(longest.length).toBeGreaterThan(4);
    expect(longest).toEqual(longest.map((_: string, at: number) => (at % 2 === 0 ? 'user' : 'assistant')));
    expect(await textOf(writeHtml(await reportPlain(as, own)))).toContain('Replied to message 1');
  });

  test('a run of an older version shows its trials without prompts, and no later run is compared with it', async () => {
    const { evalRun } = await redeem(ctx, as.agent.id, null, twice);
    await answerAll(as, evalRun.id, 'no');
    await changeRows(ctx, 'runs', { id: evalRun.id }, { suiteVersion: '0' });
    const { run, result, cases, unseen } = await showOwnRun(as, { runId: evalRun.id, withCases: true });
    expect(unseen[0]).toBe('The hub has another version of the health check now, so it shows no prompts.');
    expect(cases).toHaveLength(plainRunSize);
    for (const { case_id: id, prompt, trials } of cases ?? [])
      expect([prompt, trials]).toMatchObject([null, [1, 2].map((trial) => ({ trial, case_id: id }))]);
    const wanted = { run, result: result!, isOpen: true, filter: {}, limit: 100, cursor: null };
    expect((await listCases(as, wanted)).items).toHaveLength(plainRunSize);
    const { summary, outcome } = await reportRun(as, { runId: run.id, baseline: null });
    expect([summary.items, outcome]).toMatchObject([plainRunSize, 'held']);

    const next = (await redeem(ctx, as.agent.id, null)).evalRun;
    expect((await findBaseline(as, next, 'latest', next))?.id).not.toBe(evalRun.id);
  });
});
