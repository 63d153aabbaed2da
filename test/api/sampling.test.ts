/** Which cases a run asks, how often, and of whom: `repeat`, `replay_of`, `seed` and `code_tool`, on both stores. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { completeAgentRun } from '#test/harness/agent-runs.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { openAnswerBook } from '#test/harness/answer-book.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { forEachStore } from '#test/harness/stores.ts';

const identity = { name: 'A hub', description: 'For a test.', isPrivate: false, rulesUrl: null };

interface PulledCase {
  readonly case_id: string;
  readonly index: number;
  readonly prompt: string;
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
}

forEachStore((store) => {
  let hub: TestHub;
  let agent: TestAgent;
  beforeAll(async () => {
    hub = await startTestHub({ store, rules: { identity: { ...identity, isPrivate: true } } });
    agent = await createTestAgent(hub.ctx, { tokens: 200, freeEvalTaken: true });
  });
  afterAll(() => hub.close());

  const post = (path: string, body: object) => hub.fetch(path, { token: agent.bearerToken, json: body });
  const get = (path: string) => hub.fetch(path, { token: agent.bearerToken });
  const redeem = (options: object) => post('/v1/redemptions', { product: 'eval-run', ...options });

  /** Answers every case of a run. @param isRight decides by the index of the case */
  function complete(run: { id: string }, seed: string, isRight: (index: number) => boolean) {
    const book = openAnswerBook(() => [seed]);
    return completeWith(run, (index, said) =>
      isRight(index) ? (book.find(said)?.best ?? '?') : 'I do not know.',
    );
  }

  /** @param reply to what the user has said so far */
  async function completeWith(
    run: { id: string },
    reply: (index: number, said: readonly string[]) => string,
  ) {
    for (let ended = false; !ended;) {
      const { body } = await get(`/v1/eval-jobs/${run.id}/cases/next?limit=8`);
      const answers = (body.cases as PulledCase[]).map(({ case_id, index, prompt, messages }) => {
        const said = messages?.filter(({ role }) => role === 'user').map(({ content }) => content) ?? [
          prompt,
        ];
        return { case_id, text: reply(index, said) };
      });
      if (answers.length === 0) break;
      ({ ended } = (await post(`/v1/eval-jobs/${run.id}/answers`, { answers })).body);
    }
    return (await get(`/v1/eval-jobs/${run.id}`)).body.eval_job;
  }

  test('a repeated run asks each case several times, and counts those that passed only sometimes', async () => {
    const { body } = await redeem({ repeat: 2, seed: 'monday', max_prompt_tokens: 8_000 });
    expect(body.redemption).toMatchObject({ cost: 2, free: false });
    expect(body.eval_job).toMatchObject({
      progress: { done: 0, total: 80 },
      repeat: { k: 2, pass_k: null, flaky: [] },
    });
    // The second trial of every fourth case is wrong.
    const run = await complete(body.eval_job, 'monday', (index) => index % 8 !== 1);
    expect(run).toMatchObject({ status: 'completed', progress: { done: 80, total: 80 } });
    expect(run.suite.seed).toBe('monday');
    expect(run.repeat).toMatchObject({ k: 2, pass_k: 0.75, flaky: [0, 8, 16, 24, 32, 40, 48, 56, 64, 72] });
    const { cases, scorecard } = run;
    expect(cases.map(({ trial }: { trial: number }) => trial).slice(0, 4)).toEqual([1, 2, 1, 2]);
    expect([cases[0].prompt, cases[0].id]).toEqual([cases[1].prompt, cases[1].id]);
    expect(scorecard.score_json.repeat).toEqual(run.repeat);
    expect(scorecard.score_md).toContain('Passed all 2 times: 75.0%');
  });

  test('a replay asks the same cases at the same levels, and is compared with its run case by case', async () => {
    const first = await redeem({ seed: 'tuesday', max_prompt_tokens: 8_000, code_tool: false });
    const open = await redeem({ replay_of: first.body.eval_job.id });
    expectError(open, 409, 'run_not_ended');
    const before = await complete(first.body.eval_job, 'tuesday', (index) => index % 3 !== 0);
    const again = await redeem({ replay_of: before.id });
    expect(again.body.redemption).toMatchObject({ cost: 1, free: false });
    expect(again.body.eval_job).toMatchObject({ replay_of: before.id, code_tool: false });
    const after = await complete(again.body.eval_job, 'tuesday', (index) => index % 3 !== 0 || index < 24);
    const shape = (run: typeof before) =>
      run.cases.map(({ id, kind, level, prompt }: Record<string, unknown>) => [id, kind, level, prompt]);
    expect(shape(after)).toEqual(shape(before));
    const path = `/v1/eval-jobs/${before.id}/compare/${after.id}`;
    const { paired } = (await get(path)).body.comparison;
    expect(paired).toMatchObject({ items: 40, clear: true });
    expect(paired.change).toBeCloseTo(paired.after - paired.before, 0);
    expect(paired.interval.low).toBeGreaterThan(0);
    expect((await get(`${path}?format=md`)).text).toContain('Item by item, over the 40 that both runs have');
    // A replay of a replay pairs with the first run.
    const third = await redeem({ replay_of: after.id, repeat: 2 });
    expect(third.body.eval_job).toMatchObject({ replay_of: before.id, progress: { total: 80 } });
    await post(`/v1/eval-jobs/${third.body.eval_job.id}/cancel`, {});
  });

  test('the replies that the cases of a run show as accepted earn the full score', async () => {
    const { body } = await redeem({ max_prompt_tokens: 8_000 });
    const before = await completeWith(body.eval_job, () => 'I do not know.');
    expect(before.score).toBeLessThan(30);
    const accepted = before.cases.map((one: { accepted: string | string[] }) => one.accepted);
    expect(accepted.some((one: string | string[]) => Array.isArray(one))).toBe(true);
    const replay = await redeem({ replay_of: before.id });
    const after = await completeWith(replay.body.eval_job, (index, said) =>
      Array.isArray(accepted[index]) ? accepted[index][said.length - 1] : accepted[index],
    );
    expect(after.cases.filter(({ status }: { status: string }) => status !== 'passed')).toEqual([]);
  });

  test('a completed run shows what it took, on the run and on its card', async () => {
    const { body } = await redeem({ max_prompt_tokens: 8_000, seed: 'cost' });
    expect(body.eval_job.cost).toBeNull();
    const { id } = body.eval_job;
    for (let ended = false; !ended;) {
      const { cases } = (await get(`/v1/eval-jobs/${id}/cases/next?limit=8`)).body;
      const usage = { input_tokens: 90, output_tokens: 10 };
      const answers = cases.map(({ case_id }: PulledCase) => ({ case_id, text: 'yes', usage }));
      ({ ended } = (await post(`/v1/eval-jobs/${id}/answers`, { answers })).body);
    }
    const { eval_job: run } = (await get(`/v1/eval-jobs/${id}`)).body;
    const tokens = run.usage.input_tokens + run.usage.output_tokens;
    expect(run.cost).toMatchObject({
      score_per_1000_tokens: Number(((1_000 * run.score) / tokens).toFixed(3)),
      calls: null,
      latency: { p50_ms: expect.any(Number), p90_ms: expect.any(Number) },
    });
    expect(run.scorecard.score_json).toMatchObject({ usage: run.usage, cost: run.cost });
    expect(run.scorecard.score_md).toContain(`- Tokens: ${tokens.toLocaleString('en')} (`);
    const office = (await get(`/v1/agent-runs/${await completeAgentRun(actingAs(hub.ctx, agent), 'paid')}`))
      .body.agent_run;
    expect(office.cost.calls).toBeGreaterThan(12);
    expect(office.cost.calls_per_passed_task === null).toBe(office.score === 0);
    expect(office.cost.latency.p90_ms).toBeNumber();
  });

  test('what cannot be combined or is not there is refused with the reason', async () => {
    const [replay_of] = ['019a0000-0000-7000-8000-000000000000'];
    expectError(await redeem({ replay_of }), 404, 'run_not_found');
    const both = await redeem({ replay_of, seed: 'x', cases: 40, ranked: true });
    expectError(both, 400, 'invalid_body');
    expect(both.body.message).toBe('`replay_of` cannot be combined with `cases` and `seed` and `ranked`.');
    expectError(await redeem({ seed: 'x', ranked: true }), 400, 'invalid_body');
    expectError(await redeem({ repeat: 9 }), 400, 'invalid_body');
    expectError(await redeem({ seed: 'ä' }), 400, 'invalid_body');
    expectError(await redeem({ tasks: 12 }), 400, 'invalid_body');
    expectError(await redeem({ product: 'agent-run', tasks: 13 }), 400, 'invalid_body');
    const office = await completeAgentRun(actingAs(hub.ctx, agent), 'first');
    expectError(await redeem({ replay_of: office }), 409, 'product_mismatch');
    const tasks = await redeem({ product: 'agent-run', replay_of: office, tasks: 12 });
    expectError(tasks, 400, 'invalid_body');
    const replay = await redeem({ product: 'agent-run', replay_of: office });
    expect(replay.body.agent_run.replay_of).toBe(office);
    const { body } = await get(`/v1/agent-runs/${office}`);
    await post(`/v1/agent-runs/${replay.body.agent_run.id}/cancel`, {});
    const cancelled = await get(`/v1/agent-runs/${replay.body.agent_run.id}`);
    expect(cancelled.body.agent_run.suite.seed).toBe(body.agent_run.suite.seed);
  });

  test('runs of agents with and without a code tool are neither compared nor ranked together', async () => {
    const runs: string[] = [];
    for (const code_tool of [true, false]) {
      const { body } = await redeem({ code_tool, ranked: true, max_prompt_tokens: 8_000 });
      expect(body.eval_job.code_tool).toBe(code_tool);
      await get(`/v1/eval-jobs/${body.eval_job.id}/cases/next`);
      await post(`/v1/eval-jobs/${body.eval_job.id}/cancel`, {});
      runs.push(body.eval_job.id);
    }
    const compared = await get(`/v1/eval-jobs/${runs[0]}/compare/${runs[1]}`);
    expectError(compared, 409, 'code_tool_mismatch');
    expectError(await get(`/v1/runs/${runs[1]}/report?baseline=${runs[0]}`), 409, 'code_tool_mismatch');
    for (const [code_tool, entries] of [
      ['true', 1],
      ['false', 1],
      ['null', 0],
    ] as const) {
      const { body } = await get(`/v1/leaderboard?code_tool=${code_tool}`);
      const own = body.entries.filter(
        (entry: { agent_handle: string }) => entry.agent_handle === agent.handle,
      );
      expect([code_tool, own.length, body.code_tool]).toEqual([code_tool, entries, JSON.parse(code_tool)]);
    }
  });

  test('a public hub refuses a seed', async () => {
    const open = await startTestHub({ store, rules: { identity } });
    const json = { product: 'eval-run', seed: 'x' };
    expectError(
      await open.fetch('/v1/redemptions', { token: agent.bearerToken, json }),
      403,
      'seed_not_allowed',
    );
    await open.close();
  });
});
