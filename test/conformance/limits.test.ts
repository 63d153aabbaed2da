/** Every documented refusal that operations share, provoked at each operation that documents it. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { hubEndpoints } from '#api/routes.ts';
import { documentOf, listDocumentedAnswers } from '#test/harness/documented-answers.ts';
import { listOperations, type Operation } from '#test/harness/operations.ts';
import { withOtherHandlers } from '#test/harness/other-handlers.ts';
import { DatabaseUnavailableError } from '#db/errors.ts';
import { guardFreeze } from '#db/transaction.ts';
import { freezeHub } from '#domain/freeze/freeze-hub.ts';
import { suspendAgent } from '#domain/moderation/suspend-agent.ts';
import { defaultBodyMaxBytes } from '#api/request/body.ts';
import { createId } from '#runtime/create-id.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { createThings } from '#test/harness/create-things.ts';
import { everythingConfigured, tokensFor } from '#test/harness/everything-configured.ts';
import {
  startTestHub,
  type TestHub,
  type TestHubOptions,
  type TestRequest,
  type TestResponse,
} from '#test/harness/hub.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { useScratchStore } from '#test/harness/stores.ts';
import { thingsThatExist, validRequest } from '#test/harness/valid-request.ts';

const document = documentOf(hubEndpoints);

/** More wrong keys than any limit allows. */
const triesMax = 100;

/** The most that any operation accepts. */
const largestBodyBytes = Math.max(
  ...hubEndpoints.map(({ bodyMaxBytes = defaultBodyMaxBytes }) => bodyMaxBytes),
);

/** These need a special agent or a body that is not JSON, and have tests of their own. */
const elsewhere = [
  'GET /v1/agents/{handle}/badge.svg 304',
  'GET /v1/agents/{handle}/scores 304',
  'GET /v1/credentials/status/{number} 304',
  'GET /v1/runs/{id}/credential 304',
  // Of a completed run without one.
  'GET /v1/runs/{id}/credential 503 hub_frozen',
  'GET /v1/skills/{name} 304',
  'GET /v1/suites/{owner}/{name} 304',
  'GET /v1/suites/{owner}/{name}/versions 304',
  'GET /v1/suites/{owner}/{name}/versions/{version} 304',
  'POST /v1/suites 400 invalid_body',
  'POST /v1/suites/check 400 invalid_body',
  'POST /v1/suites/import 400 invalid_body',
  'POST /v1/agents/login 403 agent_suspended',
  'POST /v1/agents/verify 403 agent_suspended',
  'POST /api/inbound/mail 400 invalid_body',
  'POST /api/inbound/mail 413 body_too_large',
  'POST /api/inbound/mail 415 unsupported_media_type',
  'POST /v1/events/{event_id}/reserve 409 idempotency_key_reused',
];

/** Pages, images and calendar files, whose links may carry tracking parameters. */
const forReaders = new Set(['/v1/agents/{handle}/badge.svg', '/v1/calendar/{file}']);

const operations = listOperations(document, listDocumentedAnswers(document));
let hub: TestHub;
let agent: TestAgent;
let maintainer: TestAgent;
let suspended: TestAgent;
let things: ReturnType<typeof thingsThatExist>;
const maintainerDids = new Set<string>();
const hubs: TestHub[] = [];
// Before the store is removed.
afterAll(async () => {
  for (const each of hubs) await each.close();
});
const store = useScratchStore('sqlite');

async function startHub(options: Partial<TestHubOptions> = {}): Promise<TestHub> {
  const started = await startTestHub({
    store,
    settings: everythingConfigured,
    rules: { maintainerDids },
    ...options,
  });
  hubs.push(started);
  return started;
}

beforeAll(async () => {
  hub = await startHub();
  agent = await createTestAgent(hub.ctx, { handle: 'agent' });
  maintainer = await createTestAgent(hub.ctx, { handle: 'maintainer' });
  maintainerDids.add(maintainer.did);
  suspended = await createTestAgent(hub.ctx, { handle: 'suspended' });
  await suspendAgent(actingAs(hub.ctx, maintainer), { handle: 'suspended', reason: 'x', until: null });
  const host = { hostAgentId: maintainer.id, hostHandle: 'maintainer' };
  things = thingsThatExist('agent', await createThings(hub, agent, host));
});

const tokenFor = ({ access }: Operation) => tokensFor(agent, maintainer)[access];

/** A valid request except for `changes`. */
function call(
  operation: Operation,
  changes: TestRequest & { readonly at?: TestHub } = {},
): Promise<TestResponse> {
  const { at = hub, ...request } = changes;
  const token = tokenFor(operation);
  const { path, json } = validRequest(operation, things);
  return at.fetch(path, {
    method: operation.method,
    ...(json === undefined || request.body !== undefined ? {} : { json }),
    token,
    ...request,
  });
}

/** The hub's HTTP edge over handlers that fail like a bug or an unreachable store would. */
async function startFailing(fault: () => Error): Promise<TestHub> {
  const fail = () => {
    throw fault();
  };
  return startHub({ modules: withOtherHandlers(() => fail) });
}

/** A claim of the same agent's key by another request, or a response stored under it. */
async function holdKey(operation: Operation, key: string, status: number | null): Promise<void> {
  const holder = operation.access === 'maintainer' ? maintainer : agent;
  const now = hub.clock.now();
  const route = `${operation.method} ${operation.path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
  const claim = { claimId: createId(now), claimedUntil: new Date(now.getTime() + 60_000) };
  const stored = { requestHash: 'of another request', status, body: {}, createdAt: now };
  await store.db.transaction((tx) =>
    tx.query
      .insert(tx.tables.idempotencyKeys)
      .values({ agentId: holder.id, route, key, ...claim, ...stored }),
  );
}

/** Repeats the request; each limit is 1 per minute. */
async function exceedLimit(at: TestHub, operation: Operation): Promise<TestResponse> {
  // For operators, failed logins are limited instead of requests.
  const wrongKey = operation.access === 'operator' || operation.access === 'inbox' ? { token: 'wrong' } : {};
  let answer = await call(operation, { at, ...wrongKey });
  for (let tries = 0; answer.status !== 429 && tries < triesMax; tries += 1) {
    answer = await call(operation, { at, ...wrongKey });
  }
  return answer;
}

type Provoke = (operation: Operation) => Promise<TestResponse>;

/** How to provoke each shared response at any operation, with the hub it needs. */
const provocations: Readonly<Record<string, () => Promise<Provoke> | Provoke>> = {
  '304': () => (operation) => call(operation, { headers: { 'if-none-match': '*' } }),
  '400 invalid_parameter': () => (operation) => call(operation, { headers: { host: 'no host' } }),
  '400 invalid_host': async () => {
    const at = await startHub({ settings: { ...everythingConfigured, isPublic: false } });
    return (operation) => call(operation, { at, headers: { host: 'evil.example' } });
  },
  '400 invalid_body': () => (operation) => call(operation, { json: [] }),
  '401 missing_token': () => (operation) => call(operation, { headers: { authorization: '' } }),
  '401 invalid_token': () => (operation) => call(operation, { token: 'hub_wrong' }),
  '403 agent_suspended': () => (operation) => call(operation, { token: suspended.bearerToken }),
  '403 maintainer_only': () => (operation) => call(operation, { token: agent.bearerToken }),
  '403 operator_only': async () => {
    const at = await startHub({ settings: { ...everythingConfigured, operatorKey: null } });
    return (operation) => call(operation, { at, headers: { 'x-forwarded-for': '127.0.0.1' } });
  },
  '409 idempotency_key_reused': () => async (operation) => {
    await holdKey(operation, 'used', 200);
    return call(operation, { headers: { 'idempotency-key': 'used' } });
  },
  '409 request_in_progress': () => async (operation) => {
    await holdKey(operation, 'in use', null);
    return call(operation, { headers: { 'idempotency-key': 'in use' } });
  },
  '413 body_too_large': () => (operation) =>
    call(operation, { json: { text: 'x'.repeat(largestBodyBytes) } }),
  '415 unsupported_media_type': () => (operation) =>
    call(operation, { body: '{}', headers: { 'content-type': 'text/plain' } }),
  '429 rate_limited': async () => {
    const once = { registrationsPerMinute: 1, writesPerMinute: 1, readsPerMinute: 1 };
    const at = await startHub({ settings: { ...everythingConfigured, ...once } });
    return (operation) => exceedLimit(at, operation);
  },
  '500 internal_error': async () => {
    const at = await startFailing(() => new Error('a defect'));
    return (operation) => call(operation, { at });
  },
  '503 database_unavailable': async () => {
    const at = await startFailing(() => new DatabaseUnavailableError('the store is unreachable'));
    return (operation) => call(operation, { at });
  },
  '503 database_pending': async () => {
    const at = await startHub({ demo: true });
    return (operation) => call(operation, { at });
  },
  '503 hub_frozen': async () => {
    // Only a guarded store follows the freeze.
    await freezeHub(hub.ctx, { reason: null });
    const at = await startHub({ store: { db: guardFreeze(store.db) } });
    return (operation) => call(operation, { at });
  },
  '503 queue_unavailable': async () => {
    const redis = await startTestRedis();
    const at = await startHub({ redisUrl: redis.url });
    await redis.stop();
    return (operation) => call(operation, { at });
  },
};

test('every operation of the API rejects an unknown query parameter and lists its own', async () => {
  const strict = operations.filter(({ path }) => path.startsWith('/v1/') && !forReaders.has(path));
  expect(strict.length).toBeGreaterThan(0);
  for (const operation of strict) {
    const { path, json } = validRequest(operation, things);
    const request = { method: operation.method, json, token: tokenFor(operation) };
    const { status, body } = await hub.fetch(`${path}${path.includes('?') ? '&' : '?'}page=2`, request);
    const known = operation.parameters.filter((parameter) => parameter.in === 'query');
    const takes =
      known.length === 0 ? 'It takes none.' : `It takes: ${known.map(({ name }) => name).join(', ')}.`;
    const told = `"page" is not a query parameter of this endpoint. ${takes}`;
    expect([operation.path, status, body?.message]).toEqual([operation.path, 400, told]);
  }
});

for (const [documented, provoke] of Object.entries(provocations)) {
  test(`${documented} from every operation that documents it`, async () => {
    const asked = operations.filter(
      ({ method, path, answers }) =>
        answers.includes(documented) && !elsewhere.includes(`${method} ${path} ${documented}`),
    );
    expect(asked.length).toBeGreaterThan(0);
    const ask = await provoke();
    for (const operation of asked) {
      const { status, body } = await ask(operation);
      const given = status < 400 ? String(status) : `${status} ${body?.error}`;
      expect(`${operation.method} ${operation.path}: ${given}`).toBe(
        `${operation.method} ${operation.path}: ${documented}`,
      );
    }
  });
}
