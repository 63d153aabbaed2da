/** The endpoints of suites and their drafts: statuses, shapes and who may see what. */
import { expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { maxSentBytes } from '#evals/own-suite/limits.ts';
import { withTransaction } from '#domain/context.ts';
import { holdSuite } from '#domain/suites/find-runnable-suite.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { changeRows, rowOf } from '#test/harness/rows.ts';

const yaml = (name: string, answer = 'Refund') => `suite: 1
name: ${name}
title: Refund desk
description: What the *policy* allows.
license: CC-BY-4.0
defaults: { trials: 3 }
cases:
  - id: late
    prompt: A parcel is 9 days late.
    tags: [policy, easy]
    expect: [{ equals: ${answer}, ignore: [case, punctuation] }]
    accepted: ["${answer.toLowerCase()}."]
    refused: ["nothing"]
  - id: total
    prompt: Add 17.50 and 4.25.
    tags: [policy]
    expect: [{ number: 21.75 }]
`;

const hub = useTestHub();
const ada = useTestAgent(hub);
const bob = useTestAgent(hub);

const send = (
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  type = 'application/yaml',
  agent = ada,
  key?: string,
) =>
  hub.fetch(path, {
    method: 'POST',
    token: agent.bearerToken,
    headers: { 'content-type': type, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    body,
  });
const publish = (name: string, answer?: string) => send('/v1/suites', yaml(name, answer));
const path = (name: string) => `/v1/suites/@${ada.handle}/${name}`;
const get = (name: string, agent: TestAgent | null = null) =>
  hub.fetch(path(name), { token: agent?.bearerToken });
const patch = (name: string, json: object, agent = ada) =>
  hub.fetch(path(name), { method: 'PATCH', token: agent.bearerToken, json });
const drop = (name: string) => hub.fetch(path(name), { method: 'DELETE', token: ada.bearerToken });
const sendJson = (at: string, body: object) => send(at, JSON.stringify(body), 'application/json');

test('a suite is published in YAML, JSON and JSONL, and the same content is the same version', async () => {
  const first = await publish('formats');
  expect([first.status, first.body]).toMatchObject([
    201,
    { ref: `@${ada.handle}/formats`, version: 1, created: true },
  ]);
  const { document } = (await hub.fetch(`${path('formats')}/versions/1`, { token: ada.bearerToken })).body;
  const { cases, ...head } = document;
  const lines = [head, ...cases].map((one) => JSON.stringify(one)).join('\n');
  const { hash } = first.body;
  for (const [text, type] of [
    [JSON.stringify(document, null, 2), 'application/json; charset=utf-8'],
    [lines, 'application/jsonl'],
  ] as const) {
    const again = await send('/v1/suites', text, type);
    expect([again.status, again.body]).toMatchObject([200, { version: 1, hash, created: false }]);
  }
  expect(first.body.warnings).toEqual([]);
  const next = await publish('formats', 'Voucher');
  expect([next.status, next.body.version]).toEqual([201, 2]);
});

test('a document without ids of cases is published with a warning, each time', async () => {
  const vague = yaml('vague').replace('- id: total\n    ', '- ');
  const warnings = [expect.stringContaining('`id` is missing in 1 of 2 cases')];
  for (const status of [201, 200]) {
    const sent = await send('/v1/suites', vague);
    expect([sent.status, sent.body]).toMatchObject([status, { warnings }]);
  }
  expect((await send('/v1/suites/check', vague)).body).toMatchObject({ ok: true, warnings });
});

test('a repeated request with its key publishes once, and another document under the key is refused', async () => {
  for (let times = 0; times < 2; times += 1) {
    const { status, body } = await send('/v1/suites', yaml('keyed'), undefined, ada, 'k-1');
    expect([status, body.version]).toEqual([201, 1]);
  }
  const other = await send('/v1/suites', yaml('keyed', 'Voucher'), undefined, ada, 'k-1');
  expectError(other, 409, 'idempotency_key_reused');
});

test('a check reports faults with their places, and the verdicts, size and price of a sound suite', async () => {
  const sound = await send('/v1/suites/check', yaml('checked'));
  expect(sound.body).toMatchObject({
    ok: true,
    faults: [],
    warnings: [],
    replies: [
      { case_id: 'late', list: 'accepted', index: 0, passed: true, share: 1 },
      { case_id: 'late', list: 'refused', passed: false, graders: [{ name: 'equals', passed: false }] },
    ],
    size: { cases: 2, trials: 3, replies: 6 },
    price: { tokens: 1 },
  });
  const faulty = yaml('checked').replace('{ number: 21.75 }', '{ nmber: 21.75 }');
  const report = await send('/v1/suites/check', faulty);
  const fault = { line: 17, path: 'cases[1].expect[0]', message: expect.stringContaining('number') };
  expect([report.status, report.body]).toMatchObject([200, { ok: false, faults: [fault], size: null }]);
  const refused = await send('/v1/suites', faulty);
  expectError(refused, 400, 'invalid_suite');
  expect(refused.body.faults).toMatchObject([fault]);
  expectError(await get('checked', ada), 404, 'not_found');
});

test('hostile documents are refused: bombs, other encodings, other types, too many bytes', async () => {
  const bomb = 'suite: &a [x, x]\nname: [*a, *a]\n';
  expect((await send('/v1/suites/check', bomb)).body).toMatchObject({ ok: false });
  const deep = `{"suite":1,"name":"deep","cases":${'['.repeat(3_000)}${']'.repeat(3_000)}}`;
  expect((await send('/v1/suites/check', deep, 'application/json')).body).toMatchObject({ ok: false });
  for (const at of ['/v1/suites', '/v1/suites/check', '/v1/suites/import?from=csv'])
    expectError(await send(at, new Uint8Array([0xff, 0xfe])), 400, 'invalid_body');
  for (const type of ['text/plain', 'text/yaml; charset=latin1'])
    expectError(await send('/v1/suites', yaml('typed'), type), 415, 'unsupported_media_type');
  expectError(await send('/v1/suites', 'x'.repeat(maxSentBytes + 1)), 413, 'body_too_large');
});

test('a suite is sent with the files that it names, and those that are needed are listed', async () => {
  const text = 'suite: 1\nname: beside\ntemplate: "{{word}}"\ncases: { file: c.csv }\n';
  for (const at of ['/v1/suites', '/v1/suites/check']) {
    const asked = await send(at, text);
    expectError(asked, 400, 'invalid_suite');
    expect(asked.body).toMatchObject({ missing: ['c.csv'], faults: [] });
    expectError(await sendJson(at, { text, files: { other: null } }), 400, 'invalid_suite');
  }
  const gone = await sendJson('/v1/suites/check', { text, files: { 'c.csv': null } });
  expect(gone.body).toMatchObject({ ok: false, faults: [{ line: 4, path: 'cases.file' }] });
  const odd = await sendJson('/v1/suites', { text, files: { 'c.csv': 'id,word,expected\na b,x,x\n' } });
  expect(odd.body.message).toContain('Line 2, column 1 of c.csv:');
  expect(odd.body.faults).toMatchObject([{ file: 'c.csv', line: 2, column: 1, path: 'cases[0].id' }]);
  const files = { 'c.csv': 'id,word,expected\na,x,x\n' };
  expect((await sendJson('/v1/suites', { text, files })).body).toMatchObject({ version: 1, created: true });
  const expected = [{ equals: 'x', read: 'answer', ignore: ['case', 'whitespace'] }];
  const full = { suite: 1, name: 'beside', cases: [{ id: 'a', prompt: 'x', expect: expected }] };
  expect((await sendJson('/v1/suites', full)).body).toMatchObject({ version: 1, created: false });
});

test('an import returns a suite that can be published, and what has no counterpart', async () => {
  const csv = 'prompt,expected,tags\nCapital of France?,Paris,geo;easy\nNothing here,,\n';
  const fromCsv = (query: string, text = csv) => send(`/v1/suites/import?from=csv${query}`, text, 'text/csv');
  const imported = await fromCsv('&name=capitals');
  expect(imported.body).toMatchObject({
    document: { name: 'capitals', cases: [{ prompt: 'Capital of France?', tags: ['geo', 'easy'] }] },
    lost: [{ line: 3 }],
    warnings: [expect.stringContaining('`id` is missing in 1 of 1 case.')],
  });
  expect((await sendJson('/v1/suites', imported.body.document)).status).toBe(201);
  const mapped = await fromCsv('&map=prompt%3Dq,expected%3Da', 'q;a\nWho?;Ada\n');
  expect(mapped.body.document.cases).toMatchObject([{ prompt: 'Who?' }]);
  const fromPromptfoo = (files: object, query = '') =>
    sendJson(`/v1/suites/import?from=promptfoo${query}`, { text: 'prompts: [hi]\ntests: t.csv\n', files });
  const asked = await fromPromptfoo({});
  expectError(asked, 400, 'invalid_suite');
  expect(asked.body).toMatchObject({ missing: ['t.csv'] });
  const kept = await fromPromptfoo({ 't.csv': 'word,__expected\na,b\nc,\n' }, '&ungraded=keep');
  expect(kept.body.document.cases).toMatchObject([{ expect: [{ equals: 'b' }] }, { tags: ['ungraded'] }]);
  const odd = await fromPromptfoo({ a: 1 });
  expectError(odd, 400, 'invalid_suite');
  expect(odd.body.message).toContain('`files` must have a text, null or a list of names for "a".');
  for (const refused of [await fromCsv('&map=x'), await fromCsv('', 'no,columns\n')])
    expectError(refused, 400, 'invalid_suite');
  expectError(await send('/v1/suites/import?from=xml', csv, 'text/csv'), 400, 'invalid_parameter');
});

test('who may see, read and change a suite follows from its visibility', async () => {
  await publish('seen');
  expectError(await get('seen'), 404, 'not_found');
  expectError(await get('seen', bob), 404, 'not_found');
  const own = (await get('seen', ada)).body.suite;
  expect(own).toMatchObject({
    visibility: 'private',
    size: { cases: 2, replies: 6 },
    price: { tokens: 1 },
    tags: ['policy', 'easy'],
    license: 'CC-BY-4.0',
    replies_go_to: [],
    may_read_cases: true,
    agents: [],
  });
  expectError(await patch('seen', { agents: ['nobody-here'] }), 400, 'unknown_agent');
  expect((await patch('seen', { agents: [bob.handle, ada.handle] })).body.suite.agents).toEqual([bob.handle]);
  expect((await get('seen', bob)).body.suite).toMatchObject({ may_read_cases: true, agents: null });
  expectError(await patch('seen', { title: 'Mine' }, bob), 403, 'not_author');
  const changes = { title: 'New', visibility: 'hidden' };
  expect((await patch('seen', { ...changes, agents: [] })).body.suite).toMatchObject(changes);
  expect((await get('seen')).body.suite.may_read_cases).toBe(false);
  await publish('seen', 'Voucher');
  const version = async (agent?: TestAgent) =>
    (await hub.fetch(`${path('seen')}/versions/2`, { token: agent?.bearerToken })).body;
  expect(await version()).toMatchObject({ version: { cases_changed: 1 }, changes: null, document: null });
  expect(await version(ada)).toMatchObject({ changes: { added: [], changed: ['late'], removed: [] } });
  await patch('seen', { visibility: 'open' });
  expect(await version()).toMatchObject({ document: { name: 'seen' } });
  const { body } = await hub.fetch(`${path('seen')}/versions`);
  expect(body.versions.map((one: { version: number }) => one.version)).toEqual([2, 1]);
  expectError(await hub.fetch(`${path('seen')}/versions/3`), 404, 'not_found');
  for (const at of ['', '/versions', '/versions/2']) {
    const { headers } = await hub.fetch(path('seen') + at);
    const tag = { 'if-none-match': headers.get('etag') ?? '' };
    expect((await hub.fetch(path('seen') + at, { headers: tag })).status).toBe(304);
  }
});

test('lists show open and hidden suites to everybody, and the others to those who may see them', async () => {
  for (const name of ['list-private', 'list-hidden', 'list-retired']) await publish(name);
  await patch('list-hidden', { visibility: 'hidden', title: 'Quokka duty' });
  await patch('list-retired', { visibility: 'open', retired: true });
  const names = async (query: string, agent?: TestAgent) => {
    const { body } = await hub.fetch(`/v1/suites${query}`, { token: agent?.bearerToken });
    return body.suites.flatMap(({ name }: { name: string }) => (name.startsWith('list-') ? [name] : []));
  };
  expect(await names('')).toEqual(['list-hidden']);
  expect(await names('?q=quok')).toEqual(['list-hidden']);
  expect(await names('?tag=easy')).toEqual(['list-hidden']);
  expect(await names('?tag=geo')).toEqual([]);
  const all = ['list-retired', 'list-hidden', 'list-private'];
  expect(await names(`?owner=${ada.handle}`, ada)).toEqual(all);
  expect(await names(`?owner=${ada.handle}`, bob)).toEqual(['list-hidden']);
  await patch('list-private', { agents: [bob.handle] });
  expect(await names(`?owner=${ada.handle}`, bob)).toEqual(['list-hidden', 'list-private']);
  const page = await hub.fetch(`/v1/suites?owner=${ada.handle}&limit=1`, { token: ada.bearerToken });
  const versions = await hub.fetch(`${path('list-private')}/versions`, { token: bob.bearerToken });
  for (const { headers } of [page, versions]) expect(headers.get('cache-control')).toBe('no-store');
  const rest = `?owner=${ada.handle}&cursor=${page.body.next_cursor}`;
  expect((await names(rest, ada)).length).toBe(2);
});

test('a suite is deleted while nobody ran it, and retired afterwards', async () => {
  await publish('gone');
  expect((await drop('gone')).status).toBe(200);
  expectError(await drop('gone'), 404, 'not_found');
  await publish('used');
  const { id: suiteId } = await rowOf(hub, 'suites', { name: 'used' });
  await withTransaction(hub.ctx, async (inner) => (await holdSuite(inner, { suiteId, runnerId: bob.id }))());
  expectError(await drop('used'), 409, 'conflict');
  expect((await patch('used', { retired: true })).body.suite.retired).toBe(true);
  expect((await patch('used', { retired: false })).body.suite.retired).toBe(false);
});

test('large documents wait for a turn unread, small ones do not, and whoever leaves frees a turn at once', async () => {
  const open: Socket[] = [];
  for (let count = 0; count < 4; count += 1) {
    const { bearerToken } = await createTestAgent(hub.ctx);
    const head = `POST /v1/suites/check HTTP/1.1\r\nhost: hub\r\nauthorization: Bearer ${bearerToken}\r\ncontent-type: application/yaml\r\ncontent-length: 3000000\r\n\r\n`;
    const socket = connect({ host: '127.0.0.1', port: hub.port });
    open.push(socket.on('error', () => undefined));
    socket.write(`${head}# only the beginning`);
  }
  let isDone = false;
  const check = (text: string) => send('/v1/suites/check', text, 'application/yaml', bob);
  const large = `${yaml('large')}# ${'x'.repeat(70_000)}\n`;
  // A turn must be taken before it is waited for.
  await Bun.sleep(200);
  const waiting = check(large).finally(() => (isDone = true));
  const leaving = new AbortController();
  const left = fetch(`${hub.url}/v1/suites/check`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ada.bearerToken}`, 'content-type': 'application/yaml' },
    body: large,
    signal: leaving.signal,
  }).catch(() => 'left');
  expect((await check(yaml('small'))).status).toBe(200);
  leaving.abort();
  expect([await left, isDone]).toEqual(['left', false]);
  open.pop()?.destroy();
  expect((await waiting).status).toBe(200);
  for (const socket of open) socket.destroy();
});

const conversation = (asked: string, content: string) => ({
  verdict: 'accepted',
  request: { messages: [{ role: 'user', content: asked }] },
  response: { choices: [{ message: { content } }] },
});

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
