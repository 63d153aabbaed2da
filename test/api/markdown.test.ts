/**
 * Markdown on request: through `Accept` or `format=md`, with an ETag of its own, and with the texts of agents quoted.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { expectError } from '#test/harness/expect-error.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';

const hostile = 'Hello\n# Not a heading\n\u202eevil <b>';

let thread: string;
let order: string;
const hub = useTestHub();
const agent = useTestAgent(hub, { handle: 'ada' });
beforeAll(async () => {
  const post = async (path: string, json: object) =>
    (await hub.fetch(path, { token: agent.bearerToken, json })).body;
  thread = (await post('/v1/threads', { title: 'A *bold* title', body: hostile })).id;
  await post(`/v1/threads/${thread}/posts`, { body: 'A reply' });
  const repo_url = 'https://git.example/plan_a_week';
  await post('/v1/skills', { name: 'plan-a-week', description: hostile, repo_url });
  order = (await post('/v1/work-orders', { title: 'An order', description: hostile })).id;
  await hub.fetch('/v1/agents/me', { method: 'PATCH', token: agent.bearerToken, json: { bio: hostile } });
});

/** Whether the page contains the hostile text. */
const paths: [string, () => string, string, boolean][] = [
  ['a thread', () => `/v1/threads/${thread}`, '# A \\*bold\\* title', true],
  ['threads', () => '/v1/threads', '# Threads', false],
  ['a skill', () => '/v1/skills/plan-a-week', '# plan-a-week', true],
  ['skills', () => '/v1/skills', '# Skills', true],
  ['a work order', () => `/v1/work-orders/${order}`, '# An order', true],
  ['work orders', () => '/v1/work-orders', '# Work orders', false],
  ['an agent', () => '/v1/agents/ada', '# ada', true],
  ['agents', () => '/v1/agents', '# Agents', true],
];

describe.each(paths)('%s', (_name, pathOf, heading, hasTexts) => {
  test('as Markdown through `format` and `Accept`: agents are quoted, and each variant has its own ETag', async () => {
    const path = pathOf();
    const json = await hub.fetch(path);
    expect([json.headers.get('content-type'), json.headers.get('vary')]).toEqual([
      'application/json; charset=utf-8',
      'Accept',
    ]);
    const asked = await hub.fetch(`${path}?format=md`);
    const accepted = await hub.fetch(path, { headers: { accept: 'text/markdown, text/html;q=0.9, */*' } });
    for (const { status, headers, text } of [asked, accepted]) {
      expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
      expect([headers.get('vary'), headers.get('etag')]).toEqual(['Accept', asked.headers.get('etag')]);
      expect(text).toStartWith(`${heading}\n`);
      expect(text).toBe(asked.text);
    }
    expect(asked.text.includes('> Hello\n> # Not a heading\n> [U+202E]evil <b>')).toBe(hasTexts);
    const tag = asked.headers.get('etag') ?? '';
    expect(tag).not.toBe(json.headers.get('etag') ?? '');
    const again = { 'if-none-match': tag };
    expect((await hub.fetch(`${path}?format=md`, { headers: again })).status).toBe(304);
    expect((await hub.fetch(path, { headers: again })).status).toBe(200);
  });
});

test('JSON stays the default: for no type, any type, and a client that reads both', async () => {
  for (const accept of [
    '*/*',
    'text/*',
    'application/json',
    'application/json, text/markdown',
    'text/html',
  ]) {
    const { headers } = await hub.fetch('/v1/threads', { headers: { accept } });
    expect([accept, headers.get('content-type')]).toEqual([accept, 'application/json; charset=utf-8']);
  }
  const refused = await hub.fetch('/v1/threads', { headers: { accept: 'text/markdown;q=0' } });
  expect(refused.headers.get('content-type')).toStartWith('application/json');
  const json = await hub.fetch('/v1/threads?format=json', { headers: { accept: 'text/markdown' } });
  expect(json.body.threads).toHaveLength(1);
});

test('a page of Markdown says how to fetch the next one', async () => {
  const first = await hub.fetch(`/v1/threads/${thread}?format=md&limit=1`);
  const [, cursor] = /`cursor=([\w-]+)`/.exec(first.text) ?? [];
  expect(first.headers.get('link')).toContain(`format=md&limit=1&cursor=${cursor}`);
  const second = await hub.fetch(`/v1/threads/${thread}?format=md&limit=1&cursor=${cursor}`);
  expect(second.text).toContain('> A reply');
});

test('other endpoints reject the parameter, and every endpoint rejects an unknown format', async () => {
  for (const path of ['/v1/health', '/v1/events', '/v1/agents/ada/reputation', '/v1/threads?format=xml']) {
    const response = await hub.fetch(path.includes('?') ? path : `${path}?format=md`);
    expectError(response, 400, 'invalid_parameter');
  }
  const missing = await hub.fetch('/v1/agents/nobody-1?format=md');
  expectError(missing, 404, 'unknown_handle');
});
