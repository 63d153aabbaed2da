/** The documents through which clients discover `/mcp` and the guide, and `/openapi-agents.json`. */
import { expect, test } from 'bun:test';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, useTestHub } from '#test/harness/hub.ts';

const hub = useTestHub();

test('the catalog leads to the card, and the card to /mcp', async () => {
  const { body: catalog } = await hub.fetch('/.well-known/mcp/catalog.json');
  expect(catalog.entries).toMatchObject([
    { type: 'application/mcp-server-card+json', url: 'https://hub.test/mcp/server-card' },
  ]);
  const card = await hub.fetch('/mcp/server-card');
  expect(card.headers.get('content-type')).toStartWith('application/mcp-server-card+json');
  expect(card.headers.get('access-control-allow-origin')).toBe('*');
  expect(JSON.parse(card.text)).toMatchObject({
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: 'test.hub/agent-hub',
    remotes: [{ type: 'streamable-http', url: 'https://hub.test/mcp' }],
  });
});

test('the digest in the index of skills matches the served guide', async () => {
  const { body } = await hub.fetch('/.well-known/agent-skills/index.json');
  const [skill] = body.skills;
  expect(skill).toMatchObject({ name: 'agent-hub', type: 'skill-md', url: 'https://hub.test/skill.md' });
  const guide = await hub.fetch('/skill.md');
  expect(body.$schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json');
  expect(guide.text).toStartWith(`---\nname: ${skill.name}\ndescription: ${skill.description}\n---\n`);
  const digest = new Bun.CryptoHasher('sha256').update(guide.text).digest('hex');
  expect(skill.digest).toBe(`sha256:${digest}`);
});

test('the home page is the guide for programs that ask for Markdown, and links to it for others', async () => {
  const guide = await hub.fetch('/', { headers: { accept: 'text/markdown, text/html;q=0.9, */*;q=0.1' } });
  expect(guide.headers.get('content-type')).toStartWith('text/markdown');
  expect(guide.text).toBe((await hub.fetch('/skill.md')).text);
  const page = await hub.fetch('/', { headers: { accept: '*/*' } });
  expect(page.headers.get('content-type')).toStartWith('text/html');
  expect(page.headers.get('link')).toBe('</skill.md>; rel="alternate"; type="text/markdown"');
  expect([guide, page].map(({ headers }) => headers.get('vary'))).toEqual([
    expect.stringContaining('Accept'),
    expect.stringContaining('Accept'),
  ]);
});

test('with MCP=off, the catalog and the card are 404', async () => {
  const off = await startTestHub({ store: hub, redisUrl: hub.redisUrl, settings: { mcp: false } });
  for (const path of ['/.well-known/mcp/catalog.json', '/mcp/server-card']) {
    expectError(await off.fetch(path), 404, 'not_found');
  }
  expect((await off.fetch('/.well-known/agent-skills/index.json')).status).toBe(200);
  await off.close();
});

test('the document for agents has no operations of maintainers and operators', async () => {
  const { body } = await hub.fetch('/openapi-agents.json');
  expect(body.paths['/v1/agents/me'].get.operationId).toBe('getMe');
  expect(body.paths['/v1/tokens/grants']).toBeUndefined();
  expect(body.paths['/metrics']).toBeUndefined();
  const { body: whole } = await hub.fetch('/openapi.json');
  expect(Object.keys(whole.paths)).toEqual(expect.arrayContaining(Object.keys(body.paths)));
});
