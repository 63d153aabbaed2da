/** Probes: the target's reply is reported as a run would see it, nothing is stored, and twenty an hour are free. */
import { afterAll, expect, test } from 'bun:test';
import { createProbes } from '#api/probes.ts';
import { prepareProbe } from '#domain/targets/prepare-probe.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { createTargetSlots } from '#runtime/turns/target-slots.ts';
import { startA2aAgent } from '#test/harness/a2a-agent.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { modelHeaders, startModelServer } from '#test/harness/model-servers.ts';
import { startLimitedServer } from '#test/harness/limited-server.ts';
import { startTarget, targetAt, type TestTarget } from '#test/harness/target.ts';

type Json = Record<string, unknown>;

const hub = useTestHub();
const targets: TestTarget[] = [];
afterAll(() => Promise.all(targets.map((target) => target.stop())));

function serve(...reply: Parameters<typeof startTarget>): TestTarget {
  const target = startTarget(...reply);
  targets.push(target);
  return target;
}

/** A server of any protocol, for `await using`. */
const serveHttp = (fetch: (request: Request) => Response | Promise<Response>) =>
  Bun.serve({ port: 0, hostname: '127.0.0.1', fetch });

const probe = ({ bearerToken }: TestAgent, target: object, more: object = {}) =>
  hub.fetch('/v1/probes', { token: bearerToken, json: { target, ...more } });

test('a usable reply is ok, and the prompt is a practice case that can be graded', async () => {
  const agent = await createTestAgent(hub.ctx);
  const target = serve(() => 'five');
  const { status, body } = await probe(agent, { url: target.url, headers: { 'x-key': 'secret' } });
  expect([status, body.ok, body.status, body.reply_excerpt]).toEqual([200, true, 200, 'five']);
  expect(body.latency_ms).toBeGreaterThanOrEqual(0);
  const [call] = target.calls;
  expect(call!.headers.get('x-key')).toBe('secret');
  const { practice } = (await hub.fetch('/v1/eval-suite')).body;
  const asked = practice.find(
    ({ messages: [first] }: { messages: { content: string }[] }) => first?.content === call!.prompt,
  );
  expect(body.hint).toContain(asked.case_id);
  expect((await hub.fetch('/v1/eval-jobs', { token: agent.bearerToken })).body.eval_jobs).toEqual([]);
});

test.each([
  ['an HTML page', () => new Response('<h1>Hello</h1>'), 200, '<h1>Hello</h1>', 'HTML'],
  ['another status', () => new Response('no', { status: 404 }), 404, 'no', '404'],
  [
    'a chat completion',
    () => Response.json({ choices: [{ message: { content: 'five' } }] }),
    200,
    '{"choices":[{"message":{"content":"five"}}]}',
    'openai-chat',
  ],
] as const)('%s is not ok, and the hint says why', async (_name, reply, status, excerpt, word) => {
  const { body } = await probe(await createTestAgent(hub.ctx), { url: serve(reply).url, protocol: 'hub' });
  expect(body).toEqual({
    ok: false,
    code: status === 200 ? 'target_bad_response' : 'target_bad_status',
    status,
    latency_ms: expect.any(Number),
    reply_excerpt: excerpt,
    expected: 'status 200 with JSON {"text": "…"}',
    hint: expect.stringContaining(word),
    protocol: null,
    tried: [expect.objectContaining({ method: 'POST', protocol: 'hub', status })],
  });
});

test('a limit of bodies is found by a prompt of the largest size, and runs with the default are not troubled', async () => {
  const by = await createTestAgent(hub.ctx);
  for (const protocol of ['hub', 'a2a'] as const) {
    let origin = '';
    const outer = startLimitedServer(() => origin);
    const agent = startA2aAgent({ interfaceOrigin: outer.origin });
    const own = serve(() => 'five');
    origin = protocol === 'hub' ? new URL(own.url).origin : agent.origin;
    const target = { url: protocol === 'hub' ? `${outer.origin}/answer` : outer.origin };
    const { body } = await probe(by, target, { prompt_tokens: 128_000 });
    expect(body).toMatchObject({
      ok: false,
      code: 'target_bad_status',
      status: 413,
      hint: expect.stringMatching(/of [\d,]+ bytes with status 413.*express\.json/),
      target: { protocol },
    });
    // The card is fetched once.
    const cards = agent.requests.filter(({ path }) => path.includes('agent-card'));
    expect(cards).toHaveLength(protocol === 'a2a' ? 1 : 0);
    expect((await probe(by, target)).body).toMatchObject({ ok: true, target: { protocol } });
    await Promise.all([outer.stop(), agent.stop()]);
  }
});

test('a model that fails at long prompts passes, and the hint says so', async () => {
  await using server = serveHttp(async (request) =>
    (await request.text()).length > 20_000
      ? Response.json({ error: 'context length exceeded' }, { status: 400 })
      : Response.json({ text: 'five' }),
  );
  const agent = await createTestAgent(hub.ctx);
  const { body } = await probe(agent, { url: `${server.url.origin}/answer`, protocol: 'hub' });
  expect(body).toMatchObject({
    ok: true,
    status: 200,
    reply_excerpt: 'five',
    hint: expect.stringMatching(/A prompt of 28,800 bytes failed, though: .*status 400/),
  });
});

test('a target that refuses the connection has no status and no latency', async () => {
  const { body } = await probe(await createTestAgent(hub.ctx), { url: 'http://127.0.0.1:1/' });
  expect(body).toMatchObject({ ok: false, status: null, latency_ms: null, reply_excerpt: null });
  expect(body.hint).toContain('refused');
});

test('twenty probes an hour; refused targets do not count', async () => {
  const agent = await createTestAgent(hub.ctx);
  const url = 'http://127.0.0.1:1/';
  for (const bad of [{ url: 'http://10.0.0.1/' }, { url: 'agent' }])
    expectError(await probe(agent, bad), 400, 'invalid_target_url');
  expectError(await probe(agent, { url, headers: { host: 'x' } }), 400, 'invalid_body');
  const sent = await Promise.all(Array.from({ length: 20 }, () => probe(agent, { url })));
  expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([200]));
  const refused = await probe(agent, { url });
  expectError(refused, 429, 'rate_limited');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000);
  expect((await probe(await createTestAgent(hub.ctx), { url })).status).toBe(200);
});

test('a card that sends calls to an address that may not be called is named, hides no other protocol, and counts', async () => {
  const named = 'http://10.0.0.7:9999/';
  await using server = serveHttp(({ method, url }) => {
    if (url.endsWith('/agent-card.json'))
      return Response.json({ name: 'x', protocolVersion: '0.3.0', url: named });
    return method === 'POST' && url.endsWith('/works')
      ? Response.json({ text: 'five' })
      : new Response('Not found', { status: 404 });
  });
  const agent = await createTestAgent(hub.ctx);
  const [given, found, works] = [
    await probe(agent, { url: server.url.href, protocol: 'a2a' }),
    await probe(agent, { url: server.url.href }),
    await probe(agent, { url: `${server.url.href}works` }),
  ];
  const hint = expect.stringContaining(
    `The agent card sends calls to ${named}. This hub does not call the target's address.`,
  ) as string;
  for (const { body } of [given, found])
    expect(body).toMatchObject({ ok: false, code: 'target_blocked', hint });
  expect(given.body.tried.map(({ url }: { url: string }) => url)).toEqual([
    `${server.url.href}.well-known/agent-card.json`,
    named,
  ]);
  expect(works.body).toMatchObject({ ok: true, protocol: 'hub' });
  for (let count = 3; count < 20; count += 1) await probe(agent, { url: server.url.href, protocol: 'a2a' });
  expectError(await probe(agent, { url: server.url.href, protocol: 'a2a' }), 429, 'rate_limited');
});

test('a probe waits for a slot at the address, and neither counts nor calls if there is none', async () => {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const slots = createTargetSlots(hub.deps.redis, logger);
  const options = {
    redis: hub.deps.redis,
    logger,
    settings: { evalCallTimeoutMs: 20_000, isPublic: false, consentedHosts: [], baseUrl: 'http://hub.test' },
    targetAddresses: createAddressPolicy(['loopback']),
  };
  const hurried = createProbes({ ...options, placeWaitMs: 10 });
  const patient = createProbes(options);
  const target = serve(() => 'five');
  const agent = await createTestAgent(hub.ctx);
  const ctx = { ...hub.ctx, agent };
  const prepared = await prepareProbe(ctx, targetAt(target.url));
  const takePlace = slots.takeFor({ network: 'other', agentId: 'other' });
  const { host } = new URL(target.url);
  const places = await Promise.all(Array.from({ length: 8 }, () => takePlace(host, undefined)));
  const over = new AbortController().signal;
  for (let sent = 0; sent < 21; sent += 1) {
    const busy = await hurried.send(prepared, over);
    expect([busy.ok, busy.status, busy.hint]).toEqual([false, null, expect.stringContaining('all slots')]);
  }
  expect(target.calls).toHaveLength(0);
  for (const leave of places) leave();
  expect(await patient.send(prepared, over)).toMatchObject({ ok: true });
  hurried.close();
  patient.close();
  slots.close();
});

test('a target that repeats its secret headers does not get them shown', async () => {
  const key = 'sk-live-7f2Qx93b';
  const echo = `${key.toUpperCase()} ${Buffer.from(`Bearer ${key}`).toString('base64')}`;
  for (const reply of [() => echo, () => new Response(echo), () => new Response(echo, { status: 401 })]) {
    const target = { url: serve(reply).url, headers: { authorization: `Bearer ${key}` } };
    const { body } = await probe(await createTestAgent(hub.ctx), target);
    expect(body.reply_excerpt).toContain('[redacted] [redacted]');
    expect(JSON.stringify(body).toLowerCase()).not.toContain(key);
  }
});

test.each([
  ['', '/v1/chat/completions'],
  ['/v1', '/v1/chat/completions'],
  ['/api/v1/', '/api/v1/chat/completions'],
])('an OpenAI-style URL that ends in "%s" fails, and %s is proposed', async (given, works) => {
  const paths: string[] = [];
  await using server = serveHttp((request) => {
    const { pathname } = new URL(request.url);
    paths.push(pathname);
    if (pathname !== works) return new Response('Not found', { status: 404 });
    return Response.json({ choices: [{ message: { content: 'five' } }] });
  });
  const { origin } = server.url;
  const agent = await createTestAgent(hub.ctx);
  const { body } = await probe(agent, { url: origin + given, protocol: 'openai-chat' });
  expect(body).toMatchObject({
    ok: false,
    status: 404,
    hint: expect.stringContaining(origin + works),
    target: { url: origin + works, protocol: 'openai-chat' },
  });
  expect(paths).toHaveLength(2);
  expect(body.tried).toMatchObject([
    { url: origin + given, status: 404 },
    { url: origin + works, status: 200 },
  ]);
  for (const [target, ok] of [
    [body.target, true],
    [{ url: `${origin}/x`, protocol: 'openai-chat' }, false],
  ]) {
    const { body: again } = await probe(agent, target);
    expect([again.ok, again.target]).toEqual([ok, undefined]);
  }
});

const stillFinds = (url: string, protocol: string) => ({ ok: true, protocol, target: { url, protocol } });

test('without a protocol, the hub finds out what a server of models, an A2A agent and an own agent speak', async () => {
  const agent = await createTestAgent(hub.ctx);
  for (const protocol of ['openai-responses', 'anthropic-messages'] as const) {
    await using server = startModelServer(protocol);
    const { origin } = new URL(server.url);
    for (const url of [server.url, origin, `${origin}/v1`]) {
      const { body } = await probe(agent, { url, model: 'm-1', headers: modelHeaders });
      expect(body).toMatchObject(stillFinds(server.url, protocol));
      expect(body.tried.length).toBeLessThanOrEqual(8);
      expect(body.tried[0]).toMatchObject({ method: 'GET', protocol: 'a2a', status: 404 });
      const last = { method: 'POST', url: server.url, protocol, status: 200 };
      expect(body.tried.at(-1)).toEqual({ ...last, message: 'A run can use the reply.' });
    }
  }
  const a2a = startA2aAgent({ polls: 1 });
  const { body } = await probe(agent, { url: a2a.origin });
  expect(body).toMatchObject(stillFinds(a2a.origin, 'a2a'));
  const requests = body.tried.map(({ method, status }: Json) => `${String(method)} ${String(status)}`);
  expect(requests).toEqual(['GET 200', ...Array(4).fill('POST 200')]);
  await a2a.stop();
  const own = serve(() => 'five');
  expect((await probe(agent, { url: own.url })).body).toMatchObject(stillFinds(own.url, 'hub'));
});

test('a server that speaks nothing gets eight requests, one after the other, and a task that goes on no more', async () => {
  const agent = await createTestAgent(hub.ctx);
  let [open, most] = [0, 0];
  await using server = serveHttp(async () => {
    open += 1;
    most = Math.max(most, open);
    await Bun.sleep(5);
    open -= 1;
    return Response.json({ error: 'What?' }, { status: 418 });
  });
  const { body } = await probe(agent, { url: `${server.url.origin}/answer` });
  expect(body).toMatchObject({ ok: false, protocol: null, status: 418 });
  expect(body.tried).toHaveLength(8);
  expect(body.tried.every(({ message }: Json) => String(message).includes('418'))).toBe(true);
  expect(most).toBe(1);
});
