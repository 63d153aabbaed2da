/** A2A cards on profiles: loaded and checked when an agent names one, shown, searched by skill, and removed. */
import { expect, test } from 'bun:test';
import canonicalize from 'canonicalize';
import { startA2aAgent } from '#test/harness/a2a-agent.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useTestHub } from '#test/harness/hub.ts';

const hub = useTestHub();

const setCard = ({ bearerToken: token }: TestAgent, agent_card_url: string | null) =>
  hub.fetch('/v1/agents/me', { method: 'PATCH', token, json: { agent_card_url } });
const cardOf = async ({ handle }: TestAgent) =>
  (await hub.fetch(`/v1/agents/${handle}`)).body.agent.agent_card;
const handlesWith = async (skill: string) => {
  const { agents } = (await hub.fetch(`/v1/agents?skill=${encodeURIComponent(skill)}`)).body;
  return agents.map(({ handle }: { handle: string }) => handle);
};

test.each(['1.0', '0.3.0'] as const)(
  'the card of an A2A %s agent is shown, and finds it by skill',
  async (version) => {
    const agent = await createTestAgent(hub.ctx);
    const target = startA2aAgent({ version });
    const changed = await setCard(agent, target.origin);
    expect([changed.status, changed.body.agent.agent_card]).toEqual([
      200,
      {
        url: `${target.origin}/.well-known/agent-card.json`,
        name: 'Template agent',
        skills: [{ id: 'rules', name: 'Rules', tags: ['rules', 'suite'] }],
        interfaces: expect.arrayContaining([{ url: `${target.origin}/rpc`, binding: 'JSONRPC', version }]),
        signature: 'none',
        checked_at: expect.any(String),
      },
    ]);
    expect(await cardOf(agent)).toEqual(changed.body.agent.agent_card);
    for (const skill of ['rules', 'Rules', ' SUITE '])
      expect(await handlesWith(skill)).toContain(agent.handle);
    expect(await handlesWith('rule')).toEqual([]);
    const page = await hub.fetch(`/agents/${agent.handle}`, { headers: { accept: 'text/html' } });
    expect(page.text).toContain('Agent card');
    expect((await setCard(agent, null)).body.agent).not.toHaveProperty('agent_card');
    expect(await handlesWith('rules')).not.toContain(agent.handle);
    await target.stop();
  },
);

interface Signing {
  readonly jku?: (origin: string) => string;
  readonly change?: (card: Record<string, unknown>) => object;
}

/** Serves a card with a JWS by ES256, and its key. */
async function serveSigned({
  jku = (origin) => `${origin}/keys.json`,
  change = (card) => card,
}: Signing = {}) {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const pair = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const key = { ...(await crypto.subtle.exportKey('jwk', pair.publicKey)), kid: 'one' };
  const url64 = (text: string) => Buffer.from(text).toString('base64url');
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request): Promise<Response> => {
      const { origin, pathname } = new URL(request.url);
      if (pathname === '/keys.json') return Response.json({ keys: [{ kid: 'other' }, key] });
      if (pathname !== '/.well-known/agent-card.json') return new Response('no', { status: 404 });
      const plain = {
        name: 'Signed',
        description: '',
        skills: [{ id: 'sign', name: 'Sign', tags: [] }],
        supportedInterfaces: [{ url: `${origin}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      };
      // Fields with default values are not signed.
      const { description: _, ...signed } = { ...plain, skills: [{ id: 'sign', name: 'Sign' }] };
      const header = url64(JSON.stringify({ alg: 'ES256', kid: 'one', typ: 'JOSE', jku: jku(origin) }));
      const bytes = Buffer.from(`${header}.${url64(canonicalize(signed) ?? '')}`);
      const signature = await crypto.subtle.sign(algorithm, pair.privateKey, bytes);
      const signatures = [{ protected: header, signature: Buffer.from(signature).toString('base64url') }];
      return Response.json({ ...change(plain), signatures });
    },
  });
}

test('a signature is valid, invalid, or unchecked without a key on the host of the card', async () => {
  const cases: [string, Signing][] = [
    ['valid', {}],
    ['invalid', { change: (card) => ({ ...card, name: 'Other' }) }],
    ['unchecked', { jku: () => 'https://keys.example/keys.json' }],
    ['unchecked', { jku: (origin) => `${origin}/missing.json` }],
  ];
  for (const [signature, signing] of cases) {
    const agent = await createTestAgent(hub.ctx);
    await using server = await serveSigned(signing);
    const { body } = await setCard(agent, server.url.origin);
    expect([signature, body.agent.agent_card.signature]).toEqual([signature, signature]);
    expect(await cardOf(agent)).toMatchObject({ signature });
  }
});

test('what is no card is refused with the reason, changes nothing, and counts as a probe', async () => {
  const agent = await createTestAgent(hub.ctx);
  await using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) =>
      request.url.endsWith('/text.json') ? new Response('<p>Hello</p>') : Response.json({ name: 1 }),
  });
  const { origin } = server.url;
  const wrong: [string, string][] = [
    ['not a url', 'not an http(s) URL'],
    ['http://10.0.0.1/', "does not call the target's address"],
    ['http://127.0.0.1:1/', 'refused the connection'],
    [`${origin}/text.json`, 'does not return JSON'],
    [origin, 'is not an agent card'],
  ];
  for (const [url, words] of wrong) {
    const refused = await setCard(agent, url);
    expectError(refused, 400, 'invalid_body');
    expect(refused.body.message).toContain(words);
  }
  expect(await cardOf(agent)).toBeUndefined();
  for (let probes = wrong.length; probes < 20; probes += 1) await setCard(agent, origin);
  expectError(await setCard(agent, origin), 429, 'rate_limited');
});

test('the hub itself is no A2A agent: where its card would be, a hint names its manifest', async () => {
  const refused = await hub.fetch('/.well-known/agent-card.json');
  expectError(refused, 404, 'not_found');
  expect(refused.body.hint).toContain('/.well-known/agent.json');
});
