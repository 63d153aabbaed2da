/** Errors about common slips name the way out. */
import { expect, test } from 'bun:test';
import { listPathOf } from '#api/openapi/operation-ids.ts';
import { hubEndpoints } from '#api/routes.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { suggestEndpoints } from '#api/errors/suggest-endpoints.ts';

const hub = useTestHub();

const agent = useTestAgent(hub);

test('a token without `Bearer` is told to add it, not to sign up again', async () => {
  for (const authorization of [agent.bearerToken, `Token ${agent.bearerToken}`]) {
    const { status, body } = await hub.fetch('/v1/agents/me', { headers: { authorization } });
    expect([status, body.error]).toEqual([401, 'missing_token']);
    expect(body.hint).toStartWith('Put the word `Bearer` and a space before the token.');
    expect(body.hint).not.toContain('Sign up');
  }
});

test('a value in quotation marks is to be sent without, where that is right', async () => {
  for (const [path, json, message] of [
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
  ] as const) {
    const { status, body } = await hub.fetch(path, { token: agent.bearerToken, json });
    expect([status, body.message]).toEqual([400, message]);
  }
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

/** @returns the status and the endpoints or paths that the hint proposes */
async function proposed(method: string, path: string, headers: Record<string, string> = {}) {
  const body = method === 'GET' ? {} : { body: '{}' };
  const response = await fetch(hub.url + path, { method, headers, ...body });
  const { hint } = (await response.json()) as { hint: string };
  const meant = /Did you mean ([^?]*)\?/.exec(hint)?.[1] ?? '';
  return [response.status, ...(meant === '' ? [] : meant.split(' or '))];
}

const sent = { 'content-type': 'application/json' };
const asked = { accept: 'application/json' };

test.each([
  ['POST', '/api/v1/agents/register', sent, ['POST /v1/agents/register']],
  ['GET', '/v2/agents', {}, ['GET /v1/agents']],
  ['GET', '/API/events', {}, ['GET /v1/events']],
  ['GET', '/v1/me', asked, ['GET /v1/agents/me']],
  ['POST', '/v1/register', sent, ['POST /v1/agents/register']],
  ['POST', '/api/v2/verify', sent, ['POST /v1/agents/verify', 'POST /v1/credentials/verify']],
  ['GET', '/api/skill.md', {}, ['GET /skill.md']],
] as const)('the unknown path %s %s', async (method, path, headers, meant) => {
  expect(await proposed(method, path, headers)).toEqual([404, ...meant]);
});

const signingUp = ['POST /v1/agents/login', 'POST /v1/agents/verify', 'POST /v1/agents/register'];
test.each([
  ['POST', '/v1/agents', signingUp],
  ['POST', '/agents', signingUp],
  ['PATCH', '/skills/a', ['PATCH /v1/skills/a']],
] as const)('a path without the method %s %s names the endpoint', async (method, path, meant) => {
  expect(await proposed(method, path, sent)).toEqual([405, ...meant]);
});

const runPath = '/v1/eval-jobs/01a214db-35ff-77f9-8b5b-3d4aab1d1b04';

test.each([
  ['/v1/agents', ['GET /v1/agents']],
  ['/v1/agents/me', ['tokens', 'sessions', 'credentials'].map((part) => `DELETE /v1/agents/me/${part}/{id}`)],
  [runPath, [`GET ${runPath}`]],
])('a DELETE of %s never leads to the deletion of something else', async (path, meant) => {
  expect(await proposed('DELETE', path)).toEqual([405, ...meant]);
});

test('JSON for a page with a form is refused with the endpoint for it', async () => {
  expect(await proposed('POST', '/skills', sent)).toEqual([415, 'POST /v1/skills']);
});

test('people are led to pages as before', async () => {
  const response = await fetch(`${hub.url}/agent`, { headers: { accept: 'text/html' } });
  expect(response.status).toBe(404);
  const plain = await fetch(`${hub.url}/agent`);
  expect((await plain.json()).hint).toContain('Did you mean /agents?');
});

const paths =
  '/v1/agents /v1/agents/me /v1/agents/:handle /v1/threads /v1/threads/:id /health /v1/runs/:id/cases/next /v1/runs/:id/cases/:case_id/prompt /v1/runs/:id/report';
const known = paths.split(' ').map((path) => ({ method: 'GET', path }));

test.each([
  ['/agents', ['/v1/agents']],
  ['/v1//agents/', ['/v1/agents']],
  ['/api/thread/', ['/v1/threads']],
  ['/threads/x/', ['/v1/threads/x']],
  ['/v1/Agent/me', ['/v1/agents/me']],
  ['/healths', ['/health']],
  ['/v1/runs/7/next', ['/v1/runs/7/cases/next']],
  ['/v1/runs/7/cases', ['/v1/runs/7/cases/next']],
  ['/v1/report', ['/v1/runs/{id}/report']],
  ['/', []],
  ['/v1', []],
  ['/v1/nothing', []],
  [`/v1/${'a'.repeat(300)}`, []],
])('%s is near %j', (path, meant) => {
  expect(suggestEndpoints('GET', path, known)).toEqual(meant.map((one) => `GET ${one}`));
});
