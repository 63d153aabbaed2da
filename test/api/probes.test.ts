/** Probes: the target's reply is reported as a run would see it, nothing is stored, and twenty an hour are free. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createProbes } from '#api/probes.ts';
import { prepareProbe } from '#domain/targets/prepare-probe.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { createTargetSlots } from '#runtime/turns/target-slots.ts';
import { startChatServer } from '#test/doors/chat-server.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { startTarget, type TestTarget } from '#test/harness/target.ts';

let store: ScratchStore;
let hub: TestHub;
const targets: TestTarget[] = [];
beforeAll(async () => {
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store });
});
afterAll(async () => {
  await Promise.all(targets.map((target) => target.stop()));
  await hub.close();
  await store.remove();
});

function serve(...reply: Parameters<typeof startTarget>): TestTarget {
  const target = startTarget(...reply);
  targets.push(target);
  return target;
}

const probe = ({ bearerToken }: TestAgent, target: object) =>
  hub.fetch('/v1/probes', { token: bearerToken, json: { target } });

test('a usable reply is ok, and the prompt is a practice case that can be graded', async () => {
  const agent = await createTestAgent(hub.ctx);
  const target = serve(() => 'five');
  const { status, body } = await probe(agent, { url: target.url, headers: { 'x-key': 'secret' } });
  expect([status, body.ok, body.status, body.reply_excerpt]).toEqual([200, true, 200, 'five']);
  expect(body.latency_ms).toBeGreaterThanOrEqual(0);
  const [call] = target.calls;
  expect(call!.headers.get('x-key')).toBe('secret');
  const { practice } = (await hub.fetch('/v1/eval-suite')).body;
  const asked = practice.find(({ prompt }: { prompt?: string }) => prompt === call!.prompt);
  expect(body.hint).toContain(asked.case_id);
  expect((await hub.fetch('/v1/eval-jobs', { token: agent.bearerToken })).body.eval_jobs).toEqual([]);
});

const usable = 'status 200 with JSON {"text": "…"}';
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
  const { body } = await probe(await createTestAgent(hub.ctx), { url: serve(reply).url });
  expect(body).toEqual({
    ok: false,
    status,
    latency_ms: expect.any(Number),
    reply_excerpt: excerpt,
    expected: usable,
    hint: expect.stringContaining(word),
  });
});

test('an OpenAI-compatible server is a target, with its key', async () => {
  const server = startChatServer();
  const { url, key, model } = server;
  const agent = await createTestAgent(hub.ctx);
  const headers = { authorization: `Bearer ${key}` };
  const { body } = await probe(agent, { url, protocol: 'openai-chat', model, headers });
  expect(body).toMatchObject({ ok: true, status: 200, reply_excerpt: expect.any(String) });
  const { body: refused } = await probe(agent, { url, protocol: 'openai-chat', model });
  expect(refused).toMatchObject({ ok: false, status: 401 });
  await server.stop();
});

test('a target that refuses the connection has no status and no latency', async () => {
  const { body } = await probe(await createTestAgent(hub.ctx), { url: 'http://127.0.0.1:1/' });
  expect(body).toMatchObject({ ok: false, status: null, latency_ms: null, reply_excerpt: null });
  expect(body.hint).toContain('refused');
});

test('twenty probes an hour; refused targets do not count', async () => {
  const agent = await createTestAgent(hub.ctx);
  const url = 'http://127.0.0.1:1/';
  for (const bad of [{ url: 'http://10.0.0.1/' }, { url: 'agent' }]) {
    expectError(await probe(agent, bad), 400, 'invalid_target_url');
  }
  expectError(await probe(agent, { url, headers: { host: 'x' } }), 400, 'invalid_body');
  const sent = await Promise.all(Array.from({ length: 20 }, () => probe(agent, { url })));
  expect(sent.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  const refused = await probe(agent, { url });
  expectError(refused, 429, 'probe_rate_limited');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000);
  expect((await probe(await createTestAgent(hub.ctx), { url })).status).toBe(200);
});

test('a repeated key sends nothing a second time', async () => {
  const { bearerToken: token } = await createTestAgent(hub.ctx);
  const target = serve(() => 'five');
  const headers = { 'idempotency-key': 'one' };
  const json = { target: { url: target.url } };
  const first = await hub.fetch('/v1/probes', { token, json, headers });
  const second = await hub.fetch('/v1/probes', { token, json, headers });
  expect(second.body).toEqual(first.body);
  expect(target.calls).toHaveLength(1);
});

test('a probe waits for a slot at the address, and neither counts nor calls if there is none', async () => {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const slots = createTargetSlots(hub.deps.redis, logger);
  const options = {
    redis: hub.deps.redis,
    logger,
    settings: {
      evalCallTimeoutMs: 20_000,
      isPublic: false,
      consentedHosts: [],
      baseUrl: hub.ctx.rules.baseUrl,
    },
    targetAddresses: createAddressPolicy(['loopback']),
  };
  const hurried = createProbes({ ...options, placeWaitMs: 10 });
  const patient = createProbes(options);
  const target = serve(() => 'five');
  const agent = await createTestAgent(hub.ctx);
  const ctx = { ...hub.ctx, agent };
  const input = {
    url: target.url,
    protocol: 'hub',
    model: null,
    headers: {},
    concurrency: 4,
    timeoutSeconds: null,
  } as const;
  const prepared = await prepareProbe(ctx, input);
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
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      paths.push(pathname);
      if (pathname !== works) return new Response('Not found', { status: 404 });
      return Response.json({ choices: [{ message: { content: 'five' } }] });
    },
  });
  const origin = `http://127.0.0.1:${server.port}`;
  const agent = await createTestAgent(hub.ctx);
  const { body } = await probe(agent, { url: origin + given, protocol: 'openai-chat' });
  expect(body).toMatchObject({
    ok: false,
    status: 404,
    hint: expect.stringContaining(origin + works),
    target: { url: origin + works, protocol: 'openai-chat' },
  });
  expect(paths).toHaveLength(2);
  const { body: second } = await probe(agent, body.target);
  expect(second.ok).toBe(true);
  expect(second).not.toHaveProperty('target');
  const { body: other } = await probe(agent, { url: `${origin}/x`, protocol: 'openai-chat' });
  expect(other.ok).toBe(false);
  expect(other).not.toHaveProperty('target');
  await server.stop(true);
});
