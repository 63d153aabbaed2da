/**
 * Calls every guarded operation without credentials and with malformed, unknown, revoked and foreign ones.
 * The response must be the documented error and the store must not change. The operations come from the
 * OpenAPI document, so a new one is covered automatically, and one that accesses an owner's resource fails
 * until its owner is declared here.
 */
import { beforeAll, expect, test } from 'bun:test';
import { hubEndpoints } from '#api/routes.ts';
import { revokeBearerToken } from '#domain/agents/bearer-tokens.ts';
import { createThings } from '#test/harness/create-things.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { documentOf, listDocumentedAnswers } from '#test/harness/documented-answers.ts';
import { receiveTestEmail } from '#test/harness/emails.ts';
import { everythingConfigured, tokensFor } from '#test/harness/everything-configured.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { useTestAgent } from '#test/harness/hub.ts';
import type { TestRequest } from '#test/harness/hub.ts';
import { type Access, listOperations, type Operation } from '#test/harness/operations.ts';
import { sendRaw } from '#test/harness/raw-http.ts';
import { readStore } from '#test/harness/read-store.ts';
import { thingsThatExist, validRequest } from '#test/harness/valid-request.ts';
import { elsewhere, malformed, rawLines, unknown } from './credential-forms.ts';

const document = documentOf(hubEndpoints);
const guarded = listOperations(document, listDocumentedAnswers(document)).filter(
  ({ access }) => access !== 'none',
);
const hidden = hubEndpoints.filter((endpoint) => endpoint.hidden && endpoint.auth !== 'none');

type Refusal = Readonly<Record<'none' | 'wrong', string>>;
const ofTokens: Refusal = { none: '401 missing_token', wrong: '401 invalid_token' };
/** The error of each kind of endpoint for missing and for wrong credentials. */
const refusals: Readonly<Record<Exclude<Access, 'none'>, Refusal>> = {
  agent: ofTokens,
  maintainer: ofTokens,
  operator: ofTokens,
  inbox: { none: '401 invalid_inbox_key', wrong: '401 invalid_inbox_key' },
};

const { operatorKey, inboxKey } = everythingConfigured;
const revokes = ({ method, path }: Operation): boolean => method === 'DELETE' && path.includes('/tokens/');
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

let things: ReturnType<typeof thingsThatExist>;
const { hub, maintainer } = useEventHub({
  settings: everythingConfigured,
  maintainer: { handle: 'maintainer' },
});
const agent = useTestAgent(hub, { handle: 'agent', tokens: 10 });
const revoked = useTestAgent(hub, { handle: 'revoked', tokens: 10 });
beforeAll(async () => {
  (hub.ctx.rules.maintainerDids as Set<string>).add(revoked.did);
  await revokeBearerToken(actingAs(hub.ctx, revoked), { tokenId: revoked.tokenId });
  const post = (path: string, json: object) => hub.fetch(path, { token: agent.bearerToken, json });
  const hook = await post('/v1/webhooks', { url: 'https://x.example/hook', events: ['thread.reply'] });
  things = thingsThatExist('agent', {
    agents: agent.tokenId,
    ...(await createThings(hub, agent)),
    webhooks: hook.body.webhook.id,
    inbox: await receiveTestEmail(hub.ctx),
  });
});

const rightFor = ({ access }: Operation): string => tokensFor(agent, maintainer)[access] ?? '';

/** A request that is valid except for its credentials. */
async function ask(operation: Operation, request: Pick<TestRequest, 'headers' | 'token'>, query = '') {
  const { path, json } = validRequest(operation, things);
  const { method } = operation;
  const key: Record<string, string> = method === 'POST' ? { 'idempotency-key': 'mine' } : {};
  const address = path + (path.includes('?') ? query.replace('?', '&') : query);
  // Programs on the same machine get a bare status without a key.
  const headers = { ...key, via: '1.1 proxy', ...request.headers };
  const { status, body } = await hub.fetch(address, { method, json, ...request, headers });
  return { given: `${status} ${body?.error}`, body };
}

type Form = (right: string) => readonly (readonly [TestRequest['headers'], 'none' | 'wrong'])[];

/** Checks each guarded operation under each form of credentials, and that the store did not change. */
async function expectRefused(formsFor: Form): Promise<void> {
  const before = await readStore(hub.db);
  const promised = hub.published.length;
  const wrong: unknown[] = [];
  const bodies = new Set<string>();
  for (const operation of guarded) {
    const { access, method, path } = operation;
    if (access === 'none') continue;
    for (const [headers, kind] of formsFor(rightFor(operation))) {
      const { given, body } = await ask(operation, { headers: headers ?? {} });
      if (given !== refusals[access][kind]) wrong.push([method, path, headers, given]);
      if (kind === 'wrong') bodies.add(`${access}: ${JSON.stringify({ ...body, request_id: '' })}`);
    }
  }
  expect(wrong).toEqual([]);
  // All wrong credentials get the same body, so that nobody learns how close they are.
  expect(bodies.size).toBeLessThanOrEqual(Object.keys(refusals).length);
  expect(await readStore(hub.db)).toEqual(before);
  expect(hub.published).toHaveLength(promised);
}

test('some operations are guarded', () => {
  expect(guarded.length).toBeGreaterThan(40);
  expect(new Set(guarded.map(({ access }) => access)).size).toBe(4);
  expect(hidden.length).toBeGreaterThan(12);
});

test('missing and malformed credentials are rejected', async () => {
  await expectRefused((right) =>
    [{}, ...malformed(right).map((authorization) => ({ authorization })), ...elsewhere(right)].map(
      (headers) => [headers, 'none'],
    ),
  );
});

test('a valid token in the URL is ignored', async () => {
  for (const operation of guarded) {
    const right = encodeURIComponent(rightFor(operation));
    const { given } = await ask(operation, {}, `?access_token=${right}&token=${right}`);
    const expected = operation.access === 'none' ? '' : refusals[operation.access].none;
    expect([operation.method, operation.path, given]).toEqual([operation.method, operation.path, expected]);
  }
});

test('unknown, revoked and foreign credentials are rejected', async () => {
  await expectRefused((right) => {
    // Agents are identified at maintainer endpoints, so their rejection is checked below.
    const agents = [agent.bearerToken, maintainer.bearerToken];
    const others = [revoked.bearerToken, operatorKey, inboxKey, ...(agents.includes(right) ? [] : agents)];
    const foreign = others.filter((other) => other !== right);
    return [...unknown(right), ...foreign.map((other) => `Bearer ${other}`)].map((authorization) => [
      { authorization },
      'wrong',
    ]);
  });
});

test('Basic authentication only works at operator endpoints', async () => {
  const before = await readStore(hub.db);
  for (const operation of guarded) {
    const right = rightFor(operation);
    const others = [`x:${right}x`, `${right}:`, `${right}:x`, 'x:', ':'].map(basic);
    for (const authorization of operation.access === 'operator' ? others : [...others, basic(`x:${right}`)]) {
      const { given } = await ask(operation, { headers: { authorization } });
      expect(given.slice(0, 4), `${operation.path} ${authorization}`).toBe('401 ');
    }
  }
  expect(await readStore(hub.db)).toEqual(before);
});

test('agents cannot call maintainer endpoints', async () => {
  // Written out, because the document says of itself which they are.
  const routes = guarded.flatMap(({ access, method, path }) =>
    access === 'maintainer' ? [`${method} ${path.replace(/^\/v1/, '')}`] : [],
  );
  expect(routes.toSorted()).toEqual([
    'DELETE /events/{event_id}',
    'DELETE /supporters/{handle}',
    'GET /admin/audit',
    'GET /admin/health',
    'GET /moderation/log',
    'GET /reports',
    'GET /verification',
    'PATCH /events/{event_id}',
    'PATCH /reports/{id}',
    'PATCH /tokens/requests/{id}',
    'PATCH /verification/{id}',
    'POST /admin/settings',
    'POST /agents/{handle}/reinstate',
    'POST /agents/{handle}/suspend',
    'POST /agents/{handle}/withdraw-badge',
    'POST /events',
    'POST /moderation/hide',
    'POST /moderation/restore',
    'POST /runs/{id}/strike',
    'POST /supporters',
    'POST /threads/{id}/lock',
    'POST /threads/{id}/unlock',
    'POST /tokens/grants',
  ]);
  const before = await readStore(hub.db);
  for (const operation of guarded.filter(({ access }) => access === 'maintainer')) {
    const { given } = await ask(operation, { token: agent.bearerToken });
    expect([operation.path, given]).toEqual([operation.path, '403 maintainer_only']);
  }
  expect(await readStore(hub.db)).toEqual(before);
});

test('duplicate headers and non-ASCII bytes are rejected', async () => {
  const before = await readStore(hub.db);
  for (const operation of guarded) {
    const right = rightFor(operation);
    const { path } = validRequest(operation, things);
    for (const line of rawLines(right)) {
      const request = `${operation.method} ${path} HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n${line}\r\n\r\n`;
      const text = await sendRaw(hub.port, [Buffer.from(request, 'latin1')], { pauseMs: 0 });
      // Invalid HTTP never reaches the hub.
      expect(text.slice(0, 12), `${operation.path} ${line}`).toMatch(/^HTTP\/1\.1 40[01]$/);
    }
  }
  expect(await readStore(hub.db)).toEqual(before);
});

test('the undocumented dashboard is closed to everyone but operators', async () => {
  const keysBefore = (await hub.deps.redis.keys('*')).toSorted();
  for (const { method, path } of hidden) {
    const address = path.replaceAll(/:\w+/g, 'x');
    const agents = [agent.bearerToken, maintainer.bearerToken];
    for (const token of [undefined, '', ...agents, inboxKey, `${operatorKey}x`]) {
      const { status, headers } = await hub.fetch(address, { method, token });
      expect([method, path, token, status]).toEqual([method, path, token, 401]);
      expect(headers.get('www-authenticate')).toContain('Basic');
    }
  }
  expect((await hub.deps.redis.keys('*')).toSorted()).toEqual(keysBefore);
});

test('the same requests succeed with the right credentials', async () => {
  // The request that revokes its own token comes last.
  for (const operation of [...guarded.filter((one) => !revokes(one)), ...guarded.filter(revokes)]) {
    const { given } = await ask(operation, { token: rightFor(operation) });
    expect(given, operation.path).not.toMatch(/^401|maintainer_only/);
  }
});
