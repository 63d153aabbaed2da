/** The HTTP contract of runs of suites, and of the verbs that runs of all products share. */
import { beforeAll, expect, test } from 'bun:test';
import { pruneItems } from '#domain/runs/sweep-runs.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { importSuite } from '#evals/own-suite/import/import-suite.ts';
import { changeRows } from '#test/harness/rows.ts';
import { playSuiteRun, publishTestSuite } from '#test/harness/suites.ts';

let suite: string;

const tool = { name: 'route', description: 'Routes a ticket.', parameters: { type: 'object' } };
const document = {
  suite: 1,
  name: 'desk',
  system: 'Be short.',
  cases: [
    { id: 'greet', title: 'A greeting', prompt: 'Say hello.', tags: ['easy'], expect: [{ equals: 'hello' }] },
    { id: 'route', prompt: 'Where?', tools: [tool], expect: [{ tool_calls: [{ name: 'route' }] }] },
  ],
};

const ask = (path: string, as = ada) => hub.fetch(path, { token: as.bearerToken });
const post = (path: string, json: object, as = ada) => hub.fetch(path, { token: as.bearerToken, json });

const hub = useTestHub();
const ada = useTestAgent(hub, { tokens: 11 });
const bob = useTestAgent(hub, { tokens: 9 });
beforeAll(async () => {
  await publishTestSuite(actingAs(hub.ctx, ada), document);
  suite = `@${ada.handle}/desk`;
});

async function order(more: object = {}, as = ada): Promise<{ id: string }> {
  const { status, body } = await post('/v1/redemptions', { product: 'suite-run', suite, ...more }, as);
  expect([status, body.eval_job]).toEqual([200, undefined]);
  return body.run;
}

async function complete(run: { id: string }, greeting: string, as = ada): Promise<void> {
  await ask(`/v1/runs/${run.id}/cases/next?limit=2`, as);
  const answers = [
    { case_id: 'greet', text: greeting, usage: { input_tokens: 5, output_tokens: 1 } },
    { case_id: 'route', text: '', tool_calls: [{ name: 'route', arguments: '{"queue":"x"}' }] },
  ];
  const { body } = await post(`/v1/runs/${run.id}/answers`, { answers }, as);
  const cases = ['greet', 'route'].map((case_id) => ({ case_id, done: true }));
  expect(body).toEqual({ accepted: 2, cases, remaining: 0, ended: true });
}

test('an agent redeems a suite, fetches its cases, answers them, and reads the result', async () => {
  const run = await order({ label: 'main' });
  expect(run).toMatchObject({
    product: 'suite-run',
    mode: 'pull',
    status: 'queued',
    label: 'main',
    trials: 1,
    suite: { name: suite, version: '1' },
    progress: { done: 0, total: 2 },
  });
  const { body } = await ask(`/v1/runs/${run.id}/cases/next?limit=2`);
  expect(body.cases).toMatchObject([
    { case_id: 'greet', prompt: 'Say hello.', system: 'Be short.', step: 0 },
    { case_id: 'route', tools: [tool] },
  ]);
  await complete(run, 'hello');
  const shown = (await ask(`/v1/runs/${run.id}?include=cases`)).body.run;
  expect(shown).toMatchObject({
    status: 'completed',
    score: 100,
    result: { pass_rate: { value: 1 }, flaky: [], usage: { input_tokens: 5, output_tokens: 1 } },
    cases: [
      { case_id: 'greet', pass_rate: 1, trials: [{ status: 'passed', graders: [{ name: 'equals' }] }] },
      { case_id: 'route', trials: [{ tool_calls: [{ name: 'route', arguments: { queue: 'x' } }] }] },
    ],
  });
  expect((await ask(`/v1/runs/${run.id}`)).body.run.cases).toBeUndefined();
  expect((await ask('/v1/runs?product=suite-run')).body.runs).toMatchObject([{ id: run.id, label: 'main' }]);
  expect((await ask(`/v1/runs/${run.id}/events`)).text.match(/event: progress/g)).toHaveLength(2);
  const { notifications } = (await ask('/v1/notifications')).body;
  expect(notifications).toMatchObject([{ kind: 'run.completed', data: { run_id: run.id, score: 100 } }]);
  const second = await order();
  await complete(second, 'hi');
  const { comparison } = (await ask(`/v1/runs/${run.id}/compare/${second.id}`)).body;
  const verdict = 'no clear change';
  expect(comparison).toMatchObject({ suite, broken: ['greet'], fixed: [], verdict, cases: 2 });
});

test('private suites do not exist for others, hidden ones hide their cases, and ranked runs have a board', async () => {
  const boardOf = (query: string) => ask(`/v1/leaderboard?suite=${encodeURIComponent(suite)}${query}`);
  const refused = await post('/v1/redemptions', { product: 'suite-run', suite }, bob);
  expectError(refused, 404, 'not_found');
  expectError(await boardOf('&product=suite-run'), 404, 'not_found');
  await changeRows(hub, 'suites', { name: 'desk' }, { visibility: 'hidden' });
  const run = await order({ ranked: true }, bob);
  await complete(run, 'hello', bob);
  const shown = (await ask(`/v1/runs/${run.id}?include=cases`, bob)).body.run;
  const hidden = { prompt: null, trials: [{ graders: [{ expected: null, found: null }] }] };
  expect(shown.cases[0]).toMatchObject(hidden);
  const entries = [{ agent_handle: bob.handle, score: 100, provisional: true }];
  const board = { product: 'suite-run', suite, suite_version: '1', entries };
  expect((await boardOf('&product=suite-run&version=1')).body).toMatchObject(board);
  expectError(await boardOf(''), 400, 'invalid_parameter');
});

test('the owner of a suite sees who ran it and how many cases they have seen, also after they are deleted', async () => {
  const path = `/v1/suites/${suite}/runs`;
  // Ids of one millisecond have no order.
  hub.clock.advance(1_000);
  const peek = await order({}, bob);
  await ask(`/v1/runs/${peek.id}/cases/next?limit=1`, bob);
  await post(`/v1/runs/${peek.id}/cancel`, {}, bob);
  const newest = async () => (await ask(`${path}?limit=1`)).body.runs[0];
  const seen = { run_id: peek.id, agent_handle: bob.handle, version: '1', status: 'failed', cases_seen: 1 };
  expect(await newest()).toMatchObject(seen);
  hub.clock.advance(365 * 24 * 60 * 60 * 1_000);
  expect(await pruneItems(hub.ctx, { retentionDays: 30 })).toBeGreaterThan(0);
  expect(await newest()).toMatchObject(seen);
  const all = (await ask(path)).body.runs;
  expect(all.map((run: { cases_seen: number }) => run.cases_seen).slice(0, 2)).toEqual([1, 2]);
  expectError(await ask(path, bob), 403, 'not_author');
});

test('runs under several labels are shown side by side, what regressed first', async () => {
  const matrix = (labels: string, name = suite) => ask(`/v1/suites/${name}/matrix?labels=${labels}`, bob);
  const [before, after] = [await order({ label: 'main' }, bob), await order({ label: 'prompt' }, bob)];
  await complete(before, 'hello', bob);
  await complete(after, 'no', bob);
  const { status, body } = await matrix('main,prompt');
  expect(status).toBe(200);
  expect(body.runs).toMatchObject([
    { label: 'main', run_id: before.id, score: 100 },
    { label: 'prompt', run_id: after.id, score: 50 },
  ]);
  expect(body.counts).toEqual({ regressed: 1, improved: 0, mixed: 0, equal: 1, unlike: 0 });
  // The suite is hidden, and so are its titles.
  const row = { title: null, changed: [false, false] };
  expect(body.cases).toEqual([
    { ...row, case_id: 'greet', change: 'regressed', verdicts: ['passed', 'failed'] },
    { ...row, case_id: 'route', change: 'equal', verdicts: ['passed', 'passed'] },
  ]);
  expectError(await matrix('main,other'), 404, 'run_not_found');
  for (const labels of ['main', 'main,main', 'main,', 'a,b,c,d,e,f,g,h,i'])
    expectError(await matrix(labels), 400, 'invalid_parameter');
});

test('scores of some cases are shown beside others as such', async () => {
  const as = actingAs(hub.ctx, ada);
  await publishTestSuite(as, { ...document, name: 'parts' });
  const ref = `@${ada.handle}/parts`;
  const whole = await playSuiteRun(as, ref, 'hi', { label: 'whole' });
  const part = await playSuiteRun(as, ref, 'hello', { label: 'part', only: 'greet' });
  const matrix = `/v1/suites/${ref}/matrix?labels=whole,part`;
  const compare = `/v1/runs/${whole}/compare/${part}`;
  const only = { cases: 1, of: 2 };
  const { runs } = (await ask(matrix)).body;
  expect(runs.map((run: { only?: object }) => run.only)).toEqual([undefined, only]);
  const { before, after } = (await ask(compare)).body.comparison;
  expect([before.only, after]).toEqual([undefined, expect.objectContaining({ score: 100, only })]);
  const markdown = async (path: string) =>
    (await hub.fetch(path, { token: ada.bearerToken, headers: { accept: 'text/markdown' } })).text;
  expect(await markdown(compare)).toContain('# 0.0 → 100.0 (1 of 2 cases): no clear change');
  expect(await markdown(matrix)).toMatch(/\| score +\| 0\.0 +\| 100\.0 \(1 of 2 cases\) +\|/);
});

test('the owner of a suite reads the replies that a runner shares, and no others', async () => {
  const shared = await order({ share_replies: true }, bob);
  const kept = await order({}, bob);
  const pathOf = ({ id }: { id: string }) => `/v1/suites/${suite}/runs/${id}`;
  expectError(await ask(pathOf(shared)), 409, 'run_not_completed');
  await complete(shared, 'a reply of bob', bob);
  await complete(kept, 'a private reply', bob);
  const { body } = await ask(pathOf(shared));
  const trials = [{ response_text: 'a reply of bob', graders: [{ expected: expect.any(String) }] }];
  expect(body).toMatchObject({
    run: { run_id: shared.id, agent_handle: bob.handle, share_replies: true, cases_seen: 2 },
    result: { pass_rate: { value: 0.5 } },
    cases: [{ case_id: 'greet', prompt: 'Say hello.', trials }, { case_id: 'route' }],
    next_cursor: null,
  });
  const page = (await ask(`${pathOf(shared)}?limit=1&verdict=passed`)).body;
  expect(page.cases.map(({ case_id: id }: { case_id: string }) => id)).toEqual(['route']);
  const first = (await ask(`${pathOf(shared)}?limit=1`)).body;
  const rest = (await ask(`${pathOf(shared)}?limit=1&cursor=${first.next_cursor}`)).body;
  expect([first, rest].map(({ cases }) => cases[0].case_id)).toEqual(['greet', 'route']);
  const refused = await ask(pathOf(kept));
  expectError(refused, 403, 'not_allowed');
  for (const path of [pathOf(kept), `/v1/suites/${suite}/runs`, `/v1/suites/${suite}`])
    expect((await ask(path)).text).not.toContain('a private reply');
  for (const verb of [`/v1/runs/${kept.id}`, `/v1/runs/${kept.id}/report?format=jsonl`])
    expectError(await ask(verb), 404, 'run_not_found');
  expectError(await ask(pathOf(shared), bob), 403, 'not_author');
  await changeRows(hub, 'runs', { id: shared.id }, { itemsPrunedAt: hub.clock.now() });
  expectError(await ask(pathOf(shared)), 410, 'gone');
  const hide = (hiddenAt: Date | null) => changeRows(hub, 'suites', { ownerId: ada.id }, { hiddenAt });
  await hide(hub.clock.now());
  expectError(await ask(pathOf(shared), bob), 410, 'content_hidden');
  await hide(null);
});

test('a number in a call keeps its digits from the answer to the grader', async () => {
  const id = { $number: '9007199254740993' };
  const expected = [{ tool_calls: [{ name: 'route', arguments: { id } }] }];
  const cases = [{ id: 'one', prompt: 'Which?', tools: [tool], expect: expected }];
  await publishTestSuite(actingAs(hub.ctx, ada), { suite: 1, name: 'digits', cases });
  for (const [door, sent, score] of [
    ['http', '9007199254740993', 100],
    ['http', '9007199254740992', 0],
    ['mcp', '9007199254740993', 100],
    ['mcp', '9007199254740992', 0],
  ] as const) {
    const run = await order({ suite: `@${ada.handle}/digits` });
    await ask(`/v1/runs/${run.id}/cases/next`);
    const answers = `[{"case_id":"one","tool_calls":[{"name":"route","arguments":{"id":${sent}}}]}]`;
    const params = `{"name":"answer","arguments":{"run_id":"${run.id}","answers":${answers}}}`;
    const [path, body] =
      door === 'mcp'
        ? ['/mcp', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`]
        : [`/v1/runs/${run.id}/answers`, `{"answers":${answers}}`];
    const authorization = `Bearer ${ada.bearerToken}`;
    const headers = { 'content-type': 'application/json', authorization, accept: '*/*' };
    const { status } = await fetch(hub.url + path, { method: 'POST', headers, body });
    const { run: graded } = (await ask(`/v1/runs/${run.id}`)).body;
    expect([door, sent, status, graded.score]).toEqual([door, sent, 200, score]);
  }
});

test('a matrix names imported cases by their descriptions, also those of an older version', async () => {
  const as = actingAs(hub.ctx, ada);
  const ref = `@${ada.handle}/imported`;
  for (const label of ['old', 'new']) {
    const csv = `message,__expected,__description\nWhere is it?,contains: parcel,A parcel (${label})\n`;
    const config = { prompts: [`${label}: {{message}}`], tests: ['file://tests.csv'] };
    const options = { name: 'imported', files: { 'tests.csv': csv } };
    const imported = await importSuite(JSON.stringify(config), 'promptfoo', options);
    if (!imported.ok) throw new Error('It can be imported.');
    await publishTestSuite(as, imported.document);
    await playSuiteRun(as, ref, 'no', { label });
  }
  const { body } = await ask(`/v1/suites/${ref}/matrix?labels=old,new`);
  const titles: string[] = body.cases.map(({ title }: { title: string }) => title);
  expect(titles.toSorted()).toEqual(['A parcel (new)', 'A parcel (old)']);
});

test('reported tokens of answers add up over turns and cases, and others are refused', async () => {
  const cases = [
    { id: 'talk', turns: ['Hello.', 'Bye.'], expect: [{ contains: 'x' }] },
    { id: 'once', prompt: 'Hello.', expect: [{ contains: 'x' }] },
  ];
  await publishTestSuite(actingAs(hub.ctx, ada), { suite: 1, name: 'talks', cases });
  const { id } = await order({ suite: `@${ada.handle}/talks` });
  await ask(`/v1/runs/${id}/cases/next?limit=2`);
  const answer = (case_id: string, step: number, usage: unknown) =>
    post(`/v1/runs/${id}/answers`, { answers: [{ case_id, step, text: 'x', usage }] });
  for (const bad of [{ input_tokens: 1 }, { input_tokens: 1, output_tokens: -1 }, 'many'])
    expectError(await answer('talk', 0, bad), 400, 'invalid_body');
  for (const [case_id, step, usage] of [
    ['talk', 0, { input_tokens: 5, output_tokens: 2 }],
    ['talk', 1, { input_tokens: 1, output_tokens: 1 }],
    // As chat completions report them.
    ['once', 0, { prompt_tokens: 7, completion_tokens: 0, total_tokens: 7 }],
  ] as const)
    expect((await answer(case_id, step, usage)).status).toBe(200);
  expect((await ask(`/v1/runs/${id}`)).body.run.usage).toEqual({ input_tokens: 13, output_tokens: 3 });
});
