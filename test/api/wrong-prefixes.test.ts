/** A wrong prefix, or a page instead of an endpoint, leads a program to the endpoints of the API, and never to pages. */
import { describe, expect, test } from 'bun:test';
import { useTestHub } from '#test/harness/hub.ts';

const hub = useTestHub();

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

describe('an unknown path', () => {
  test.each([
    ['POST', '/api/v1/agents/register', sent, ['/v1/agents/register']],
    ['GET', '/v2/agents', {}, ['/v1/agents']],
    ['GET', '/api/v1/events', {}, ['/v1/events']],
    ['GET', '/API/events', {}, ['GET /v1/events']],
    ['GET', '/api/threads', {}, ['/v1/threads']],
    ['GET', '/v1/me', asked, ['GET /v1/agents/me']],
    ['GET', '/api/v1/me', asked, ['GET /v1/agents/me']],
    ['POST', '/register', sent, ['POST /v1/agents/register']],
    ['POST', '/v1/register', sent, ['POST /v1/agents/register']],
    ['POST', '/api/v2/verify', sent, ['POST /v1/agents/verify', 'POST /v1/credentials/verify']],
    ['GET', '/thread', asked, ['/v1/threads']],
    ['GET', '/api/skill.md', {}, ['/skill.md']],
  ] as const)('%s %s', async (method, path, headers, meant) => {
    expect(await proposed(method, path, headers)).toEqual([404, ...meant]);
  });
});

describe('a path without the method', () => {
  test.each([
    ['POST', '/v1/agents', ['POST /v1/agents/login', 'POST /v1/agents/verify', 'POST /v1/agents/register']],
    ['POST', '/agents', ['POST /v1/agents/login', 'POST /v1/agents/verify', 'POST /v1/agents/register']],
    ['PATCH', '/skills/a', ['PATCH /v1/skills/a']],
  ] as const)('%s %s names the endpoint', async (method, path, meant) => {
    const [status, ...names] = await proposed(method, path, sent);
    expect([status, ...names]).toEqual([405, ...meant]);
  });
});

const runPath = '/v1/eval-jobs/01a214db-35ff-77f9-8b5b-3d4aab1d1b04';

test.each([
  ['/v1/agents', ['GET /v1/agents']],
  [
    '/v1/agents/me',
    [
      'DELETE /v1/agents/me/tokens/{id}',
      'DELETE /v1/agents/me/sessions/{id}',
      'DELETE /v1/agents/me/credentials/{id}',
    ],
  ],
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
