/** Which cases a run asks, how often, and of whom: `trials`, `replay_of` and `seed`. */
import { expect, test } from 'bun:test';
import { completeAgentRun } from '#test/harness/agent-runs.ts';
import { openAnswerBook } from '#test/harness/answer-book.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { plainRunSize } from '#test/harness/eval-runs.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, useTestAgent, useTestHub } from '#test/harness/hub.ts';

const identity = { name: 'A hub', description: 'For a test.', isPrivate: false, rulesUrl: null };

interface PulledCase {
  readonly case_id: string;
  readonly index: number;
  readonly prompt: string;
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
}

const hub = useTestHub({ rules: { identity: { ...identity, isPrivate: true } } });
const agent = useTestAgent(hub, { tokens: 200, freeEvalTaken: true });

const post = (path: string, body: object) => hub.fetch(path, { token: agent.bearerToken, json: body });
const get = (path: string) => hub.fetch(path, { token: agent.bearerToken });
const redeem = (options: object) => post('/v1/redemptions', { product: 'eval-run', ...options });

/** Answers every case of a run. */
async function completeWith({ id }: { id: string }, reply: (pulled: PulledCase) => object) {
  for (let ended = false; !ended;) {
    const cases: PulledCase[] = (await get(`/v1/runs/${id}/cases/next?limit=8`)).body.cases;
    if (cases.length === 0) break;
    const answers = cases.map((pulled) => ({ case_id: pulled.case_id, ...reply(pulled) }));
    ({ ended } = (await post(`/v1/runs/${id}/answers`, { answers })).body);
  }
  return (await get(`/v1/eval-jobs/${id}`)).body.eval_job;
}

/** @param isRight decides by the index of the case */
function complete(run: { id: string }, seed: string, isRight: (index: number) => boolean) {
  const book = openAnswerBook(() => [seed]);
  return completeWith(run, ({ index, prompt, messages }) => {
    const said = messages?.filter(({ role }) => role === 'user').map(({ content }) => content) ?? [prompt];
    return { text: isRight(index) ? (book.find(said)?.best ?? '?') : 'I do not know.' };
  });
}

test('a run with trials asks each case several times, and counts those that passed only sometimes', async () => {
  const { body } = await redeem({ trials: 2, seed: 'monday' });
  expect(body.redemption).toMatchObject({ cost: 2, free: false });
  const total = 2 * plainRunSize;
  expect(body.eval_job).toMatchObject({ progress: { done: 0, total }, trials: 2, size: 'standard' });
  // The second trial of every fourth case is wrong.
  const run = await complete(body.eval_job, 'monday', (index) => index % 8 !== 1);
  expect(run).toMatchObject({ status: 'completed', progress: { done: total, total } });
  expect(run.suite.seed).toBe('monday');
  expect(run.result).toMatchObject({ pass_k: { k: 2, value: expect.any(Number) }, errors: 0 });
  expect(run.result.flaky.length).toBeWithin(10, plainRunSize / 3);
  expect(run.cases[0].trials).toMatchObject([
    { trial: 1, index: 0 },
    { trial: 2, index: 1 },
  ]);
});

test('a replay asks the same cases, and is compared with its run case by case', async () => {
  const first = await redeem({ seed: 'tuesday' });
  const open = await redeem({ replay_of: first.body.eval_job.id });
  expectError(open, 409, 'run_not_completed');
  const before = await complete(first.body.eval_job, 'tuesday', (index) => index < 24 || index % 3 !== 0);
  const again = await redeem({ replay_of: before.id });
  expect(again.body.redemption).toMatchObject({ cost: 1, free: false });
  expect(again.body.eval_job).toMatchObject({ replay_of: before.id });
  const after = await complete(again.body.eval_job, 'tuesday', () => true);
  const shape = (run: typeof before) =>
    run.cases.map(({ case_id, prompt }: Record<string, unknown>) => [case_id, prompt]);
  expect(shape(after)).toEqual(shape(before));
  const path = `/v1/runs/${before.id}/compare/${after.id}`;
  const { comparison } = (await get(path)).body;
  const reach = { sample: 'same cases' };
  expect(comparison).toMatchObject({ verdict: 'better', cases: plainRunSize, reach, broken: [] });
  expect((await get(`${path}?format=md`)).text).toContain('better');
  // A replay of a replay asks the cases of the first run.
  const third = await redeem({ replay_of: after.id, trials: 2 });
  const progress = { total: 2 * plainRunSize };
  expect(third.body.eval_job).toMatchObject({ replay_of: before.id, progress });
  await post(`/v1/runs/${third.body.eval_job.id}/cancel`, {});
});

test('a completed run shows what it took, on the run and on its card', async () => {
  const { body } = await redeem({ seed: 'cost' });
  expect(body.eval_job.cost).toBeNull();
  const usage = { input_tokens: 90, output_tokens: 10 };
  const run = await completeWith(body.eval_job, () => ({ text: 'yes', usage }));
  const tokens = run.usage.input_tokens + run.usage.output_tokens;
  const latency = { p50_ms: expect.any(Number), p90_ms: expect.any(Number) };
  expect(run.cost).toMatchObject({ calls: null, latency });
  expect(run.scorecard.score_json).toMatchObject({ usage: run.usage });
  expect(run.cost.score_per_1000_tokens).toBeCloseTo((1_000 * run.score) / tokens, 1);
  const { id: taken } = await completeAgentRun(actingAs(hub.ctx, agent));
  const office = (await get(`/v1/runs/${taken}`)).body.run;
  expect(office.cost.calls).toBe(12);
  expect(office.cost.calls_per_passed_task === null).toBe(office.score === 0);
  expect(office.cost.latency.p90_ms).toBeNumber();
});

test('what cannot be combined or is not there is refused with the reason', async () => {
  const [replay_of] = ['019a0000-0000-7000-8000-000000000000'];
  expectError(await redeem({ replay_of }), 404, 'run_not_found');
  const both = await redeem({ replay_of, seed: 'x', size: 'long', ranked: true });
  expectError(both, 400, 'invalid_body');
  expect(both.body.message).toBe('`replay_of` cannot be combined with `size` and `seed` and `ranked`.');
  for (const options of [
    { seed: 'x', ranked: true },
    { product: 'agent-run', size: 'long' },
    { tasks: 12 },
    { product: 'agent-run', tasks: 13 },
  ])
    expectError(await redeem(options), 400, 'invalid_body');
  const { id: office, suiteSeed } = await completeAgentRun(actingAs(hub.ctx, agent));
  expectError(await redeem({ replay_of: office }), 409, 'conflict');
  const replay = await redeem({ product: 'agent-run', replay_of: office });
  expect(replay.body.run.replay_of).toBe(office);
  await post(`/v1/runs/${replay.body.run.id}/cancel`, {});
  const cancelled = await get(`/v1/runs/${replay.body.run.id}`);
  expect(cancelled.body.run.suite.seed).toBe(suiteSeed);
});

test('a public hub refuses a seed', async () => {
  await using open = await startTestHub({ store: hub, rules: { identity } });
  const json = { product: 'eval-run', seed: 'x' };
  expectError(await open.fetch('/v1/redemptions', { token: agent.bearerToken, json }), 403, 'not_allowed');
});
