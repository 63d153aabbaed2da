/** Every refusal of the verbs of runs and suites that the tests of their effects do not meet. */
import { beforeAll, expect, test } from 'bun:test';
import { checkVersion as suiteVersion } from '#evals/health/health-check.ts';
import { completeAgentRun, startAgentRun } from '#test/harness/agent-runs.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { completeRun, createTestRunner, redeem } from '#test/harness/eval-runs.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { changeRows, type Row, rowOf } from '#test/harness/rows.ts';
import { publishTestSuite } from '#test/harness/suites.ts';

const hub = useTestHub();
/** Completed runs of ada. */
let evalRuns: readonly [string, string];
let agentRuns: readonly [string, string];

const cases = [{ id: 'greet', prompt: 'Say hello.', expect: [{ equals: 'hello' }] }];
const nobody = '019a0000-0000-7000-8000-000000000000';

const keeper = useTestAgent(hub, { handle: 'keeper' });
const ada = useTestAgent(hub, { tokens: 50 });
const bob = useTestAgent(hub, { tokens: 50 });
beforeAll(async () => {
  using runner = createTestRunner(hub.ctx, hub.redisUrl);
  evalRuns = [await completeRun(runner, ada.id), await completeRun(runner, ada.id)];
  const as = actingAs(hub.ctx, ada);
  agentRuns = [(await completeAgentRun(as)).id, (await completeAgentRun(as)).id];
});

const ask = (path: string, as = ada) => hub.fetch(path, { token: as.bearerToken });
const post = (path: string, json: object = {}, as = ada) => hub.fetch(path, { token: as.bearerToken, json });
const compare = (one: string, other: string) => ask(`/v1/runs/${one}/compare/${other}`);

/** As a run of another kind would be stored. */
const setRun = (id: string, values: Partial<Row<'runs'>>) => changeRows(hub, 'runs', { id }, values);
/** Open runs of ada, in pull mode. */
const orderCheck = async () => (await redeem(hub.ctx, ada.id, null)).evalRun.id;
const orderWeek = async () => (await startAgentRun(actingAs(hub.ctx, ada))).id;
const cancel = (id: string) => post(`/v1/runs/${id}/cancel`);
const setSuite = (name: string, values: Partial<Row<'suites'>>) =>
  changeRows(hub, 'suites', { name }, values);

async function publish(name: string, as = ada): Promise<string> {
  await publishTestSuite(actingAs(hub.ctx, as), { suite: 1, name, cases });
  return `@${as.handle}/${name}`;
}

async function orderSuite(suite: string): Promise<string> {
  return (await post('/v1/redemptions', { product: 'suite-run', suite })).body.run.id;
}

test('runs that differ in kind or suite are not compared', async () => {
  const [before, after] = evalRuns;
  const [open, office] = [await orderCheck(), await orderWeek()];
  expectError(await compare(before, nobody), 404, 'run_not_found');
  expectError(await compare(before, open), 409, 'run_not_completed');
  expectError(await compare(agentRuns[0], nobody), 404, 'run_not_found');
  expectError(await compare(agentRuns[0], office), 409, 'run_not_completed');
  expectError(await compare(before, agentRuns[0]), 409, 'conflict');
  await setRun(after, { suiteVersion: '0' });
  expectError(await compare(before, after), 409, 'conflict');
  expectError(await ask(`/v1/runs/${before}/report?baseline=${after}`), 409, 'conflict');
  await setRun(after, { suiteVersion });
  for (const id of [open, office]) await cancel(id);
});

test('an ended run takes no answer and no end, and a case one answer', async () => {
  const [ended] = evalRuns;
  await setRun(ended, { mode: 'pull' });
  const answers = [{ case_id: `${ended}.0`, text: '' }];
  expectError(await post(`/v1/runs/${ended}/answers`, { answers }), 409, 'run_ended');
  await setRun(ended, { mode: 'push' });
  expectError(await cancel(agentRuns[0]), 409, 'run_ended');
  const open = await orderCheck();
  const { body } = await ask(`/v1/runs/${open}/cases/next`);
  const own = [{ case_id: body.cases[0].case_id, text: 'no' }];
  const submit = `/v1/runs/${open}/answers`;
  await using busy = await startTestHub({ store: hub, isPlaceClosed: true });
  const document = { suite: 1, name: 'busy', cases };
  for (const [path, json] of [
    [submit, { answers: own }],
    ['/v1/suites', document],
    ['/v1/suites/check', document],
    ['/v1/suites/import?from=promptfoo', document],
  ] as const) {
    const response = await busy.fetch(path, { token: ada.bearerToken, json });
    expectError(response, 503, 'busy');
    expect(response.headers.has('retry-after')).toBe(true);
  }
  expect((await post(submit, { answers: own })).status).toBe(200);
  const other = own.map((one) => ({ ...one, text: 'Something else.' }));
  expectError(await post(submit, { answers: other }), 409, 'case_answered');
  await cancel(open);
});

test('open runs, and runs without their cases, are neither exported nor credited nor struck off', async () => {
  const [office, job] = [await orderWeek(), await orderCheck()];
  const suite = await orderSuite(await publish('open'));
  const exported = (id: string) => ask(`/v1/runs/${id}/report?format=csv`);
  expectError(await exported(office), 409, 'run_not_completed');
  expectError(await exported(suite), 409, 'run_not_completed');
  const [kept] = evalRuns;
  await setRun(kept, { itemsPrunedAt: hub.clock.now() });
  expectError(await exported(kept), 410, 'gone');
  await setRun(kept, { itemsPrunedAt: null });
  const maintainers = { maintainerDids: new Set([keeper.did, ada.did]) };
  await using desk = await startTestHub({ store: hub, rules: maintainers });
  const strike = (id: string, as: TestAgent) =>
    desk.fetch(`/v1/runs/${id}/strike`, { token: as.bearerToken, json: { reason: 'For a test.' } });
  for (const id of [office, job, suite]) {
    expectError(await ask(`/v1/runs/${id}/credential`), 409, 'run_not_completed');
    expectError(await strike(id, keeper), 409, 'run_not_completed');
  }
  expectError(await strike(kept, ada), 403, 'separation_of_duties');
  expectError(await strike(crypto.randomUUID(), keeper), 404, 'run_not_found');
  for (const id of [office, job, suite]) await cancel(id);
});

test('suite runs are compared also after their replies were deleted', async () => {
  const suite = await publish('compared');
  const runs: string[] = [];
  for (let count = 0; count < 2; count += 1) {
    const id = await orderSuite(suite);
    await ask(`/v1/runs/${id}/cases/next`);
    await post(`/v1/runs/${id}/answers`, { answers: [{ case_id: 'greet', text: 'hello' }] });
    runs.push(id);
  }
  await setRun(runs[1]!, { itemsPrunedAt: hub.clock.now() });
  expect((await compare(runs[0]!, runs[1]!)).body.comparison).toMatchObject({ cases: 1, broken: [] });
});

test('what is gone, retired, hidden or unknown cannot be redeemed', async () => {
  const suite = await publish('gone');
  const buy = (more: object, as = bob) =>
    post('/v1/redemptions', { product: 'suite-run', suite, ...more }, as);
  await setSuite('gone', { visibility: 'open' });
  expectError(await buy({ version: 9 }), 404, 'not_found');
  const board = `/v1/leaderboard?product=suite-run&suite=${encodeURIComponent(suite)}`;
  expectError(await ask(`${board}&version=9`), 404, 'not_found');
  const change = (method: string, json?: object) =>
    hub.fetch(`/v1/suites/${suite}`, { method, token: bob.bearerToken, json });
  expectError(await change('DELETE'), 403, 'not_author');
  await setSuite('gone', { hiddenAt: hub.clock.now() });
  expectError(await buy({}), 410, 'content_hidden');
  expectError(await ask(board, bob), 410, 'content_hidden');
  for (const path of ['', '/runs', '/versions', '/versions/1', '/matrix?labels=a,b'])
    expectError(await ask(`/v1/suites/${suite}${path}`, bob), 410, 'content_hidden');
  for (const refused of [await change('PATCH', { title: 'Mine' }), await change('DELETE')])
    expectError(refused, 410, 'content_hidden');
  await setSuite('gone', { hiddenAt: null, retiredAt: hub.clock.now() });
  expectError(await buy({}), 409, 'conflict');
  for (const path of ['/versions', '/versions/1'])
    expectError(await ask(`/v1/suites/@nobody/none${path}`), 404, 'not_found');
});

test('replies are regraded only of an ended run whose suite and cases the agent still has, and while it may run more', async () => {
  const suite = await publish('again');
  await setSuite('again', { visibility: 'open' });
  const carl = await createTestAgent(hub.ctx, { tokens: 20 });
  const order = async (): Promise<string> =>
    (await post('/v1/redemptions', { product: 'suite-run', suite }, carl)).body.run.id;
  const id = await order();
  const regrade = (json: object = {}, as = carl) => post(`/v1/runs/${id}/regrade`, json, as);
  expectError(await regrade(), 409, 'run_not_completed');
  await ask(`/v1/runs/${id}/cases/next`, carl);
  await post(`/v1/runs/${id}/answers`, { answers: [{ case_id: 'greet', text: 'hello' }] }, carl);
  expectError(await regrade({ version: 9 }), 404, 'not_found');
  expectError(await post(`/v1/runs/${evalRuns[0]}/regrade`), 409, 'conflict');
  await setSuite('again', { visibility: 'private' });
  expectError(await regrade(), 404, 'not_found');
  await setSuite('again', { visibility: 'open', hiddenAt: hub.clock.now() });
  expectError(await regrade(), 410, 'content_hidden');
  await setSuite('again', { hiddenAt: null, retiredAt: hub.clock.now() });
  expectError(await regrade(), 409, 'conflict');
  await setSuite('again', { retiredAt: null });
  await setRun(id, { itemsPrunedAt: hub.clock.now() });
  expectError(await regrade(), 410, 'gone');
  await setRun(id, { itemsPrunedAt: null });
  const { body } = await regrade({ label: 'again' });
  const queued = { label: 'again', status: 'queued', mode: 'push', target_url: null };
  expect(body.run).toMatchObject({ regraded_from: id, ...queued });
  const opened = [body.run.id];
  while (opened.length < 5) opened.push(await order());
  expectError(await regrade(), 429, 'too_many_open_jobs');
  const failed = { status: 'failed', finishedAt: hub.clock.now(), failureCode: 'target_timeout' } as const;
  for (const other of opened)
    await setRun(other, { ...failed, chargeState: 'refunded', mode: 'push', progressDone: 5_000 });
  expectError(await regrade(), 429, 'too_many_failed_runs');
});

test('a run that asked another suite is not replayed', async () => {
  const replay = (replay_of: string) => post('/v1/redemptions', { product: 'eval-run', replay_of });
  await setRun(evalRuns[1], { suiteVersion: '0' });
  expectError(await replay(evalRuns[1]), 409, 'conflict');
  await setRun(evalRuns[1], { suiteVersion });
});

test('an agent has at most a hundred suites', async () => {
  const many = await createTestAgent(hub.ctx);
  await publish('first', many);
  const suite = await rowOf(hub, 'suites', { ownerId: many.id });
  const copy = (_: unknown, at: number) => ({ ...suite, id: Bun.randomUUIDv7(), name: `copy-${at}` });
  const copies = Array.from({ length: 99 }, copy);
  await hub.db.transaction(({ query, tables }) => query.insert(tables.suites).values(copies));
  expectError(await post('/v1/suites', { suite: 1, name: 'more', cases }, many), 409, 'limit_reached');
});
