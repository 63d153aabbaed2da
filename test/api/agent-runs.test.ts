/** A run of the office over HTTP: what its cases show and hide, and what a step returns. */
import { beforeAll, expect, test } from 'bun:test';
import { weekTools } from '#evals/week/tools/tools.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useTestHub } from '#test/harness/hub.ts';

let agent: TestAgent;

const ask = (path: string, json?: object) =>
  hub.fetch(path, { token: agent.bearerToken, ...(json === undefined ? {} : { json }) });

const hub = useTestHub();
beforeAll(async () => {
  agent = await createTestAgent(hub.ctx, { tokens: 2 });
});

test('a task is a case with tools, whose steps return the results of its calls', async () => {
  const { body: redeemed } = await ask('/v1/redemptions', { product: 'agent-run' });
  expect([redeemed.redemption.free, redeemed.run.suite]).toMatchObject([
    true,
    { name: 'agent-run', seed: null },
  ]);
  const path = `/v1/runs/${redeemed.run.id}`;
  const { body } = await ask(`${path}/cases/next?limit=8`);
  expect(body).toMatchObject({ remaining: 12, ended: false, cases: [{ case_id: 'task-1', step: 0 }] });
  const [task] = body.cases;
  expect(task.prompt).toMatch(/^Task 1 of 12, .+ Budget: \d+ calls\.\n/);
  expect(task.tools.map(({ name }: { name: string }) => name)).toEqual(weekTools.map(({ name }) => name));
  expect(
    task.tools.every(({ parameters }: { parameters: object }) => 'additionalProperties' in parameters),
  ).toBe(true);
  // What it is about is not told.
  expect(Object.keys(task).toSorted()).toEqual([
    'again',
    'case_id',
    'expires_at',
    'index',
    'messages',
    'prompt',
    'step',
    'system',
    'tools',
  ]);
  const answer = { case_id: 'task-1', step: 0, tool_calls: [{ id: 'a', name: 'notes_read', arguments: {} }] };
  const first = await ask(`${path}/answers`, { answers: [answer] });
  const [{ messages, ...taken }] = first.body.cases;
  expect(taken).toMatchObject({ case_id: 'task-1', done: false, step: 1 });
  expect(messages).toMatchObject([{ role: 'tool', tool_call_id: 'a' }]);
  expect(JSON.parse(messages[0].content)).toHaveProperty('calls_left');
  expect((await ask(`${path}/answers`, { answers: [answer] })).body).toEqual(first.body);
  expectError(await ask(`${path}/answers`, { answers: [{ ...answer, step: 3 }] }), 409, 'wrong_step');
  expect((await ask(`${path}/cancel`, {})).body.run).toMatchObject({
    status: 'failed',
    charge: { state: 'refunded' },
  });
});
