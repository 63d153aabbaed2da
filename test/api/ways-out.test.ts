/** Errors about common slips name the way out. */
import { beforeAll, expect, test } from 'bun:test';
import { listPathOf } from '#api/openapi/operation-ids.ts';
import { hubEndpoints } from '#api/routes.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useTestHub } from '#test/harness/hub.ts';

let agent: TestAgent;
const hub = useTestHub();
beforeAll(async () => {
  agent = await createTestAgent(hub.ctx);
});

test('a token without `Bearer` is told to add it, not to sign up again', async () => {
  for (const authorization of [agent.bearerToken, `Token ${agent.bearerToken}`]) {
    const { status, body } = await hub.fetch('/v1/agents/me', { headers: { authorization } });
    expect([status, body.error]).toEqual([401, 'missing_token']);
    expect(body.hint).toStartWith('Put the word `Bearer` and a space before the token.');
    expect(body.hint).not.toContain('Sign up');
  }
});

test.each([
  [
    '/v1/redemptions',
    { product: 'eval-run', max_prompt_tokens: '8000' },
    '`max_prompt_tokens` must be 8000 or 32000 or 128000; it is "8000". Send 8000 without quotation marks.',
  ],
  [
    '/v1/redemptions',
    { product: 'eval-run', ranked: 'true' },
    '`ranked` must be true or false; it is "true". Send true without quotation marks.',
  ],
  [
    '/v1/redemptions',
    { product: 'eval-run', max_prompt_tokens: '41' },
    '`max_prompt_tokens` must be 8000 or 32000 or 128000; it is "41".',
  ],
  [
    '/v1/tokens/requests',
    { amount: '5', reason: 'For a run' },
    '`amount` must be a whole number; it is "5". Send 5 without quotation marks.',
  ],
])('a value of %s in quotation marks', async (path, json, message) => {
  const { status, body } = await hub.fetch(path, { token: agent.bearerToken, json });
  expect([status, body.message]).toEqual([400, message]);
});

test('a choice of a truth value and names shows both', async () => {
  const json = { publish_score: 'yes' };
  const { body } = await hub.fetch('/v1/agents/me', { method: 'PATCH', token: agent.bearerToken, json });
  expect(body.message).toBe('`publish_score` must be true or false or "last" or "history"; it is "yes".');
});

test('an id in the wrong form names the list of ids', async () => {
  const { status, body } = await hub.fetch('/v1/eval-jobs/latest', { token: agent.bearerToken });
  expect([status, body.hint]).toEqual([400, 'GET /v1/eval-jobs lists them.']);
  // Wherever a path has an id, there is such a list.
  const lists = new Set(hubEndpoints.filter(({ method }) => method === 'GET').map(({ path }) => path));
  const withoutList = hubEndpoints
    .filter(({ path, hidden }) => path.startsWith('/v1/') && /\/:id(\/|$)/.test(path) && hidden !== true)
    .filter(({ path }) => !lists.has(listPathOf(path)));
  expect([...new Set(withoutList.map(({ path }) => path))]).toEqual([]);
});
