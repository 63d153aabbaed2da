/** What targets send when no text came, in every protocol: a fault, never an empty reply. */
import { expect, test, describe } from 'bun:test';
import { readOutcome } from '#domain/targets/target-call.ts';
import { redactorOf } from '#domain/targets/redact-secrets.ts';
import { emptyFields } from '#test/client/empty-fields.ts';

const url = 'https://agent.example/';
const tool = { name: 'route', description: '', parameters: { type: 'object' } };

function read(protocol: string, value: unknown, hasTools = false) {
  return readText(protocol, JSON.stringify(value), hasTools);
}

function readText(protocol: string, text: string, hasTools: boolean, headers = {}) {
  const body = new TextEncoder().encode(text);
  const outcome = { ok: true, address: '', status: 200, headers: {}, body, latencyMs: 1 } as const;
  return readOutcome(outcome, { url, protocol, headers, tools: hasTools ? [tool] : [] });
}

const chat = (message: unknown) => ({ choices: [{ message }] });
const response = (...output: unknown[]) => ({ output });
const said = (...content: unknown[]) => ({ type: 'message', content });
const cut = (content: string | null, finish_reason: string) => ({
  choices: [{ message: { content }, finish_reason }],
});
const incomplete = (text: string, reason: string) => ({
  ...response(said({ type: 'output_text', text })),
  incomplete_details: { reason },
});
const stopped = (text: string, stop_reason: string) => ({ ...said({ type: 'text', text }), stop_reason });
const call = { id: 'a', type: 'function', function: { name: 'route', arguments: '{}' } };

test.each([
  ['hub', {}],
  ['hub', { text: null }],
  ['hub', { tool_calls: [] }],
  // Tool calls that were not offered are no reply.
  ['hub', { tool_calls: [{ name: 'route', arguments: {} }] }],
  ['openai-chat', chat({})],
  ['openai-chat', chat({ content: null })],
  ['openai-chat', chat({ content: '', reasoning_content: 'Hm.' })],
  ['openai-chat', chat({ content: '', reasoning: 'Hm.' })],
  ['openai-chat', chat({ content: null, tool_calls: [call] })],
  ['openai-responses', response()],
  ['openai-responses', response({ type: 'reasoning', summary: [] })],
  ['openai-responses', response(said())],
  ['openai-responses', response(said({ type: 'output_text' }))],
  ['anthropic-messages', said()],
  ['anthropic-messages', said({ type: 'text', text: null })],
  ['anthropic-messages', said({ type: 'thinking', thinking: 'x' })],
] as const)('%s: %j has no text', (protocol, value) => {
  expect(read(protocol, value)).toMatchObject({ ok: false, code: 'target_bad_response' });
});

test.each([
  ['hub', { text: '' }, ''],
  ['openai-chat', chat({ content: '' }), ''],
  ['openai-chat', cut('', 'stop'), ''],
  ['openai-chat', chat({ content: '', refusal: null, reasoning: '' }), ''],
  ['openai-chat', chat({ content: null, refusal: 'I cannot.' }), 'I cannot.'],
  ['openai-chat', chat({ content: '', refusal: 'I cannot.' }), 'I cannot.'],
  ['openai-responses', response(said({ type: 'output_text', text: '' })), ''],
  ['openai-responses', response(said({ type: 'refusal', refusal: 'I cannot.' })), 'I cannot.'],
  ['anthropic-messages', said({ type: 'text', text: '' }), ''],
] as const)('%s: %j has the text that came, even an empty one', (protocol, value, text) => {
  expect(read(protocol, value)).toMatchObject({ ok: true, text });
});

test.each([
  ['hub', { tool_calls: [{ name: 'route', arguments: {} }] }],
  ['openai-chat', chat({ content: null, tool_calls: [call] })],
  ['openai-responses', response({ type: 'function_call', call_id: 'a', name: 'route', arguments: '{}' })],
  ['anthropic-messages', said({ type: 'tool_use', id: 'a', name: 'route', input: {} })],
] as const)('%s: a reply that only calls the tools that were offered needs no text', (protocol, value) => {
  expect(read(protocol, value, true)).toMatchObject({ ok: true, text: '', toolCalls: [{ name: 'route' }] });
});

const digits = '9007199254740993';
const large = { id: { $number: digits } };

test.each([
  ['hub', { tool_calls: [{ name: 'route', arguments: large }] }],
  ['openai-chat', chat({ tool_calls: [{ function: { name: 'route', arguments: `{"id":${digits}}` } }] })],
  ['anthropic-messages', said({ type: 'tool_use', name: 'route', input: large })],
] as const)('%s: numbers in calls keep their digits', (protocol, value) => {
  const sent = JSON.stringify(value).replace(JSON.stringify(large.id), digits);
  expect(readText(protocol, sent, true)).toMatchObject({ toolCalls: [{ name: 'route', arguments: large }] });
});

test.each([
  ['openai-chat', cut('x', 'length'), 'length'],
  ['openai-chat', cut('x', 'stop'), undefined],
  ['anthropic-messages', stopped('x', 'max_tokens'), 'max_tokens'],
  ['openai-responses', incomplete('x', 'max_output_tokens'), 'max_output_tokens'],
  ['openai-chat', cut('x', 'MAX_TOKENS'), 'max_tokens'],
  ['openai-chat', cut('x', 'content_filter'), 'content_filter'],
  ['hub', { text: 'x', finish_reason: 'length' }, 'length'],
  ['hub', { text: 'x' }, undefined],
] as const)('%s: %j says why it was cut off', (protocol, value, why) => {
  expect(read(protocol, value)).toHaveProperty('text', 'x');
  expect(Reflect.get(read(protocol, value), 'cut')).toBe(why);
});

test.each([
  ['openai-chat', cut(null, 'length'), 'length'],
  ['openai-chat', cut('', 'length'), 'length'],
  ['openai-chat', cut('', 'content_filter'), 'content_filter'],
  ['openai-chat', cut('', 'SAFETY'), 'safety'],
  ['anthropic-messages', stopped('', 'refusal'), 'refusal'],
  ['openai-responses', incomplete('', 'max_output_tokens'), 'max_output_tokens'],
  ['openai-responses', incomplete('', 'content_filter'), 'content_filter'],
  ['anthropic-messages', stopped('', 'max_tokens'), 'max_tokens'],
  ['hub', { text: '', finish_reason: 'length' }, 'length'],
] as const)('%s: %j was cut off before any text, and says so', (protocol, value, reason) => {
  expect(read(protocol, value)).toMatchObject({
    ok: false,
    problem: `The reply has no text: it was cut off ("${reason}").`,
  });
});

test.each([
  ['hub', { text: '', error: 'overloaded' }, 'overloaded'],
  ['hub', { text: null, error: 'overloaded' }, 'overloaded'],
  ['anthropic-messages', { type: 'error', error: { message: 'overloaded' } }, 'overloaded'],
  ['hub', { text: 'Sorry, an error occurred.', error: { message: 'overloaded' } }, 'overloaded'],
  ['openai-chat', { ...chat({ content: '' }), error: { message: 'overloaded' } }, 'overloaded'],
  ['openai-chat', { choices: [{ message: { content: 'You' }, error: { code: 502 } }] }, '{"code":502}'],
  ['openai-chat', cut('You', 'error'), '"error"'],
  ['openai-responses', { ...response(said({ type: 'output_text', text: 'x' })), error: 'gone' }, 'gone'],
] as const)('%s: %j has an error, so it is no reply', (protocol, value, why) => {
  expect(read(protocol, value)).toMatchObject({ ok: false, problem: `The reply has an error: ${why}` });
});

test.each(emptyFields)('an empty field is no error and no call: %j', (fields) => {
  expect(read('hub', { text: 'x', ...fields }, true)).toMatchObject({ ok: true, text: 'x' });
  expect(read('openai-chat', chat({ content: 'x', ...fields }), true)).toMatchObject({ ok: true, text: 'x' });
});

test.each([
  ['hub', { text: '', toolCalls: [{ toolName: 'route' }] }],
  ['hub', { text: 'Done.', function_call: { name: 'route' } }],
  ['openai-chat', chat({ content: 'Done.', function_call: { name: 'route', arguments: '{}' } })],
  ['openai-chat', chat({ content: '<tool_call>{"name":"route"}</tool_call>' })],
] as const)('%s: a call in another form is a fault where tools are offered: %j', (protocol, value) => {
  expect(read(protocol, value, true)).toMatchObject({
    ok: false,
    problem: expect.stringContaining('tool call that does not have the expected format') as string,
  });
  expect(read(protocol, value)).toMatchObject({ ok: true });
});

test('a call that names its tool with its namespace is a call of the tool', () => {
  const value = chat({ tool_calls: [{ function: { name: 'functions.route', arguments: '{}' } }] });
  expect(read('openai-chat', value, true)).toMatchObject({ toolCalls: [{ name: 'route' }] });
});

/** A target's secret headers are removed from what its replies repeat, in every form in which servers print them. */
const key = 'sk-Live/7f+Q2"x9';

const redact = redactorOf({ Authorization: `Bearer ${key}`, 'x-api-key': 'hunter2-hunter2' });

const htmlOf = (text: string) =>
  text.replaceAll('"', '&#x22;').replaceAll('/', '&#x2F;').replaceAll('+', '&#x2B;');

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('removes', () => {
  test.each([
    ['the value with its scheme', `Bearer ${key}`],
    ['the value without its scheme', key],
    ['the value in capitals', `BEARER ${key.toUpperCase()}`],
    ['the value in small letters', key.toLowerCase()],
    ['the value twice', `${key}${key}`],
    ['the value in JSON', JSON.stringify({ authorization: `Bearer ${key}` })],
    ['the value in JSON with escaped slashes', `Bearer ${key.replaceAll('/', String.raw`\/`)}`],
    ['the value in a URL', encodeURIComponent(key)],
    ['the value in a URL that keeps slashes', encodeURIComponent(key).replaceAll('%2F', '/')],
    ['the value in a URL that keeps reserved characters', encodeURI(key)],
    ['the value in HTML', key.replaceAll('"', '&quot;')],
    ['the value in HTML with numbers', key.replaceAll('"', '&#34;')],
    ['the value in HTML with all signs escaped', htmlOf(key)],
    [
      'the value in JSON for HTML pages',
      key.replaceAll('+', String.raw`\u002b`).replaceAll('"', String.raw`\u0022`),
    ],
    ['the value in base64', base64(key)],
    ['the value with its scheme in base64', base64(`Bearer ${key}`)],
    ['all headers in base64', base64(JSON.stringify({ 'x-api-key': 'hunter2-hunter2' }))],
    ['the value in base64 for URLs', Buffer.from(key).toString('base64url')],
    ['a value that was cut off', `Wrong key: ${key.slice(0, 12)}`],
  ])('%s', (_name, text) => {
    for (const offset of ['', 'x', 'xy']) {
      const shown = redact(`${offset} before ${text}`);
      expect(shown).toContain('[redacted]');
      expect(shown).toStartWith(`${offset} before`);
      for (const secret of [key.slice(0, 12), 'hunter2', base64(key).slice(0, 12)])
        expect(shown.toLowerCase()).not.toContain(secret.toLowerCase());
    }
  });

  test('the user and the password of basic credentials', () => {
    const basic = redactorOf({ authorization: `Basic ${base64('user:open sesame')}` });
    expect(basic(`Wrong password "open sesame" in ${base64('user:open sesame')}`)).toBe(
      'Wrong password "[redacted]" in [redacted]',
    );
  });
});

test('other texts are unchanged, and values too short for a secret are left alone', () => {
  for (const text of ['', 'The bearer of bad news', 'ſK-LİVE 7f', '😀'.repeat(50)])
    expect(redact(text)).toBe(text);
  expect(redactorOf({ 'x-version': '1', accept: '*/*' })('1 of 1 */*')).toBe('1 of 1 */*');
  expect(redactorOf({})('text')).toBe('text');
  // A short value is a secret only where its header or its scheme says so: agents and graders read what is left.
  const plain = {
    'x-tenant': 'acme',
    'x-debug': 'true',
    'x-mode': 'find',
    'x-user-id': '1042',
    Accept: 'application/json',
    'HTTP-Referer': 'https://shop.example',
  };
  const said = JSON.stringify(plain);
  expect(redactorOf(plain)(said)).toBe(said);
  const secrets = {
    'x-auth': 'hunter2',
    cookie: 'id=77',
    'x-sent': 'Basic dTpwYXNz',
    'x-id': 'f3'.repeat(8),
  };
  for (const value of ['hunter2', 'id=77', 'dTpwYXNz', 'u:pass', 'f3'.repeat(8)])
    expect(redactorOf(secrets)(`"${value}"`)).toBe('"[redacted]"');
});

const fiveHeaders = (valueOf: (index: number) => string) =>
  redactorOf(Object.fromEntries([0, 1, 2, 3, 4].map((index) => [`x-${index}`, valueOf(index)])));

test('a long reply takes time in proportion to its length, whatever it contains', () => {
  const hostile = fiveHeaders((index) => `${'a'.repeat(999 + index)}b${'a'.repeat(999)}`);
  const timeOf = (length: number): number => {
    const text = `${'a'.repeat(1_990)}b`.repeat(Math.ceil(length / 1_991));
    const startedAt = performance.now();
    hostile(text);
    return performance.now() - startedAt;
  };
  timeOf(16_000);
  expect(timeOf(256_000)).toBeLessThan(16 * 8 * timeOf(16_000) + 50);
});

test('the largest reply takes little time, however many forms the headers have', () => {
  const many = fiveHeaders((index) => `Basic ${base64(`${index}:${`<"${key}`.repeat(80)}`)}`);
  const { user: before } = process.cpuUsage();
  many('aA'.repeat(127_000));
  expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(600);
});

const headers = { authorization: `Bearer ${key}` };

test('the beginning of an unreadable reply and of an error page are without it', () => {
  const text = `${'x'.repeat(490)} Bearer ${key}`;
  const refused = { ok: false, fault: 'bad_status', cause: null, retryAfter: null, status: 401 } as const;
  for (const read of [
    readText('hub', text, false, headers),
    readOutcome({ ...refused, body: Buffer.from(text) }, { url, protocol: 'hub', headers }),
  ])
    expect(read.ok ? null : read.cause.excerpt).toBe(`${'x'.repeat(490)} [redacted`);
});

test('the calls of a reply are without it', () => {
  const made = { name: `mail ${key}`, arguments: JSON.stringify({ [key]: [`Bearer ${key}`] }) };
  const reply = chat({ content: key, tool_calls: [{ id: key, function: made }] });
  expect(readText('openai-chat', JSON.stringify(reply), true, headers)).toMatchObject({
    toolCalls: [{ id: '[redacted]', name: 'mail [redacted]', arguments: { '[redacted]': ['[redacted]'] } }],
  });
});
