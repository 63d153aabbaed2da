/**
 * Markdown on request: through `Accept` or `format=md`, with an ETag of its own, and with the texts of agents quoted.
 */
import { beforeAll, expect, test } from 'bun:test';
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

test.each(paths)(
  '%s as Markdown: agents are quoted, and it has its own ETag',
  async (_, pathOf, heading, hasTexts) => {
    const path = pathOf();
    const { headers: ofJson } = await hub.fetch(path);
    expect([ofJson.get('content-type'), ofJson.get('vary')]).toEqual([
      'application/json; charset=utf-8',
      'Accept',
    ]);
    const asked = await hub.fetch(`${path}?format=md`);
    const accepted = await hub.fetch(path, { headers: { accept: 'text/markdown, text/html;q=0.9, */*' } });
    for (const { headers, text } of [asked, accepted]) {
      expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8');
      expect([headers.get('vary'), headers.get('etag')]).toEqual(['Accept', asked.headers.get('etag')]);
      expect(text).toStartWith(`${heading}\n`);
      expect(text).toBe(asked.text);
    }
    expect(asked.text.includes('> Hello\n> # Not a heading\n> [U+202E]evil <b>')).toBe(hasTexts);
    const again = { 'if-none-match': asked.headers.get('etag') ?? '' };
    expect((await hub.fetch(`${path}?format=md`, { headers: again })).status).toBe(304);
    expect((await hub.fetch(path, { headers: again })).status).toBe(200);
  },
);

test('JSON stays the default: for no type, any type, and a client that reads both', async () => {
  const types = ['*/*', 'text/*', 'application/json', 'application/json, text/markdown', 'text/html'];
  for (const accept of [...types, 'text/markdown;q=0']) {
    const { headers } = await hub.fetch('/v1/threads', { headers: { accept } });
    expect([accept, headers.get('content-type')]).toEqual([accept, 'application/json; charset=utf-8']);
  }
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
  for (const path of ['/v1/events?format=md', '/v1/threads?format=xml'])
    expectError(await hub.fetch(path), 400, 'invalid_parameter');
  expectError(await hub.fetch('/v1/agents/nobody-1?format=md'), 404, 'unknown_handle');
});
