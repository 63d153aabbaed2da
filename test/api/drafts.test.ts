/** Drafts over HTTP: their statuses, shapes and who may do what. */
import { expect, test } from 'bun:test';
import { type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { changeRows } from '#test/harness/rows.ts';

const hub = useTestHub();
const ada = useTestAgent(hub);
const bob = useTestAgent(hub);

const send = (path: string, body: string, type = 'application/json', agent = ada, key?: string) =>
  hub.fetch(path, {
    method: 'POST',
    token: agent.bearerToken,
    headers: { 'content-type': type, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    body,
  });
const publish = (name: string) =>
  hub.fetch('/v1/suites', {
    token: ada.bearerToken,
    json: { suite: 1, name, cases: [{ id: 'one', prompt: 'Hi', expect: [{ equals: 'a' }] }] },
  });
const conversation = (asked: string, content: string) => ({
  verdict: 'accepted',
  request: { messages: [{ role: 'user', content: asked }] },
  response: { choices: [{ message: { content } }] },
});
const path = (name: string) => `/v1/suites/@${ada.handle}/${name}`;
const patch = (name: string, json: object) =>
  hub.fetch(path(name), { method: 'PATCH', token: ada.bearerToken, json });

test('a conversation becomes a draft, which is listed as JSON and YAML, and deleted', async () => {
  await publish('drafted');
  await patch('drafted', { agents: [bob.handle] });
  const drafts = `${path('drafted')}/drafts`;
  const body = conversation('Which id?', '{"id": 9007199254740993}');
  const add = (sent: object | string, agent = ada, key?: string) =>
    send(drafts, typeof sent === 'string' ? sent : JSON.stringify(sent), 'application/json', agent, key);
  const added = await add(body, ada, 'd-1');
  const draft = { verdict: 'accepted', case: { prompt: 'Which id?', expect: [{ json: { schema: {} } }] } };
  expect([added.status, added.body]).toMatchObject([201, { draft }]);
  const { id } = added.body.draft;
  await changeRows(hub, 'suiteDrafts', { id }, { bytes: 5 * 1024 * 1024 });
  expectError(await add(conversation('More?', 'No.')), 409, 'limit_reached');
  expect((await add(body, ada, 'd-1')).body).toEqual(added.body);
  const list = (query = '', agent = ada) => hub.fetch(drafts + query, { token: agent.bearerToken });
  expect((await list()).body).toMatchObject({ drafts: [{ id, ...draft }] });
  const yamlList = await list('?format=yaml');
  expect([yamlList.headers.get('content-type'), yamlList.text]).toEqual([
    'application/yaml',
    expect.stringMatching(/^ {2}- id: draft-.*\n {4}prompt: Which id\?\n/),
  ]);
  const image = { role: 'user', content: [{ type: 'image_url' }] };
  const refused = await add({ ...body, request: { messages: [image] } });
  expectError(refused, 400, 'invalid_body');
  expect(refused.body.message).toContain('`request.messages[0].content[0].type`');
  for (const sent of [{ ...body, verdict: 'good' }, { ...body, more: 1 }, '[', ''])
    expectError(await add(sent), 400, 'invalid_body');
  expectError(await send(drafts, 'x', 'application/yaml'), 415, 'unsupported_media_type');
  expectError(await add(' '.repeat(1024 * 1024 + 1)), 413, 'body_too_large');
  const at = `${drafts}/${id}`;
  const remove = (agent: TestAgent) => hub.fetch(at, { method: 'DELETE', token: agent.bearerToken });
  for (const response of [await add(body, bob), await list('', bob), await remove(bob)])
    expectError(response, 403, 'not_author');
  expect((await remove(ada)).status).toBe(200);
  await patch('drafted', { visibility: 'open' });
  expectError(await add(body), 409, 'conflict');
  const hide = (hiddenAt: Date | null) => changeRows(hub, 'suites', { name: 'drafted' }, { hiddenAt });
  await hide(new Date());
  for (const response of [await add(body, bob), await list('', bob), await remove(bob)])
    expectError(response, 410, 'content_hidden');
  await hide(null);
});

test('a draft is taken in with a grader, as a case of a new version', async () => {
  await publish('taken');
  const drafts = `${path('taken')}/drafts`;
  const body = conversation('Late?', 'Refund');
  const add = async () =>
    (await hub.fetch(drafts, { token: ada.bearerToken, json: body })).body.draft as { id: string };
  const takeIn = (id: string, json?: object, agent = ada, at = hub) =>
    at.fetch(`${drafts}/${id}/take-in`, { method: 'POST', token: agent.bearerToken, json });
  const { id } = await add();
  const { proposed } = (await hub.fetch(drafts, { token: ada.bearerToken })).body.drafts[0];
  expect(proposed).toMatchObject([{ equals: 'Refund' }, { contains: 'Refund' }]);
  expectError(await takeIn(id, { grader: 7 }), 400, 'invalid_body');
  expectError(await takeIn(id, { expect: [{ contain: 'x' }] }), 400, 'invalid_suite');
  await patch('taken', { agents: [bob.handle] });
  expectError(await takeIn(id, {}, bob), 403, 'not_author');
  await using closed = await startTestHub({ store: hub, isPlaceClosed: true });
  expectError(await takeIn(id, undefined, ada, closed), 503, 'busy');
  const taken = await takeIn(id, { case_id: 'kept' });
  const ref = path('taken').replace('/v1/suites/', '');
  expect([taken.status, taken.body]).toEqual([
    201,
    {
      ref,
      version: 2,
      case_id: 'kept',
      yaml: expect.stringMatching(/^ {2}- id: kept\n {4}prompt: Late\?\n/),
      hint: expect.stringContaining('Add `yaml` to the file'),
    },
  ]);
  const { id: other } = await add();
  const { id: large } = await add();
  await changeRows(hub, 'suiteDrafts', { id: large }, { bytes: 1024 ** 3 });
  expectError(await takeIn(other), 409, 'limit_reached');
  await changeRows(hub, 'suiteDrafts', { id: large }, { bytes: 100 });
  await patch('taken', { visibility: 'open' });
  expectError(await takeIn(other), 409, 'conflict');
  await changeRows(hub, 'suites', { name: 'taken' }, { hiddenAt: new Date() });
  expectError(await takeIn(other, undefined, bob), 410, 'content_hidden');
});
