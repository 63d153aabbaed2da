/**
 * Deep, huge, malformed and wrongly framed bodies sent to an endpoint of the hub. Each is rejected with the
 * reason, none is misread, and none costs more CPU than its size allows.
 */
import { beforeAll, expect, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { sendRaw } from '#test/harness/raw-http.ts';

const bodyMaxBytes = 64 * 1_024;

let agent: TestAgent;
const hub = useTestHub();
beforeAll(async () => {
  agent = await createTestAgent(hub.ctx);
});

const json = { 'content-type': 'application/json' };
const send = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) =>
  hub.fetch('/v1/threads', { method: 'POST', token: agent.bearerToken, body, headers });
const threads = async () => (await hub.fetch('/v1/threads?limit=100')).body.threads as { title: string }[];

const rest = '"title":"A","body":"B"';
const repeat = (text: string, bytes = bodyMaxBytes - 100) => text.repeat(Math.floor(bytes / text.length));
const manyKeys = Array.from({ length: 5_000 }, (_, index) => `"k${index}":1`).join(',');
const encoded = (text: string, encoding: 'utf16le' | 'latin1') => new Uint8Array(Buffer.from(text, encoding));

const broken: readonly (readonly [string, string | Uint8Array<ArrayBuffer>])[] = [
  ['nested arrays', `{"title":${repeat('[')}`],
  ['nested objects', repeat('{"a":')],
  ['closed nested arrays', `{"title":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
  ['closed nested objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ['thousands of fields', `{${rest},${manyKeys}}`],
  ['a duplicate field', '{"title":"A","title":"C","body":"B"}'],
  ['a duplicate field written with an escape', '{"title":"A","t\\u0069tle":"C","body":"B"}'],
  ['one field repeated thousands of times', `{${rest}${repeat(',"x":1', 60_000)}}`],
  ['thousands of empty names', `{${rest}${repeat(',"":1', 60_000)}}`],
  ['a name of 60,000 characters', `{${rest},"${repeat('x', 60_000)}":1}`],
  ['a number of 60,000 digits', `{"title":${repeat('9', 60_000)},"body":"B"}`],
  ['a number of 60,000 decimals', `{"title":0.${repeat('9', 60_000)},"body":"B"}`],
  ['an exponent past all numbers', `{"title":1e999999999,"body":"B"}`],
  ['60,000 backslashes', `{"title":"${repeat('\\\\', 60_000)}`],
  ['10,000 escaped quotes that never end', `{"title":"${repeat('\\"', 20_000)}`],
  ['nothing but blanks', repeat(' ')],
  ['nothing but quotes', repeat('"')],
  ['commas only', `{${repeat(',')}}`],
  ['a byte order mark before an array', '\ufeff[]'],
  ['UTF-16', encoded(`{${rest}}`, 'utf16le')],
  ['UTF-16 with a byte order mark', encoded(`\ufeff{${rest}}`, 'utf16le')],
  ['Latin-1', encoded('{"title":"é","body":"B"}', 'latin1')],
  ['UTF-8 beyond the last code point', Uint8Array.of(0x22, 0xf4, 0x90, 0x80, 0x80, 0x22)],
  ['a prototype', `{${rest},"__proto__":{"admin":true}}`],
  ['half of a surrogate pair', '{"title":"\\ud83d","body":"B"}'],
];

test.each(broken)('a body of %s is 400 within a second of CPU time', async (_, body) => {
  const startedAt = process.cpuUsage();
  const { status, body: parsed } = await send(body);
  expect([status, parsed.error]).toEqual([400, 'invalid_body']);
  expect(parsed.message.length).toBeLessThan(400);
  const { user, system } = process.cpuUsage(startedAt);
  // CPU time, so that other load does not matter. Anything quadratic in the size of the body takes seconds.
  expect(user + system).toBeLessThan(1_000_000);
});

test('none of them had an effect, and no prototype was changed', async () => {
  expect(await threads()).toEqual([]);
  expect(Reflect.get({}, 'admin')).toBeUndefined();
  expect((await send(`{${rest}}`)).status).toBe(201);
  // A byte order mark before valid JSON is allowed.
  expect((await send(`\ufeff{${rest}}`)).status).toBe(201);
  expect(await threads()).toHaveLength(2);
});

/** Sends two requests on one connection, the first with a false length, and returns the statuses. */
async function statusesOf(framing: string, body: string, answers = 2): Promise<string[]> {
  const head = `POST /v1/threads HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${agent.bearerToken}\r\nContent-Type: application/json\r\n`;
  const text = await sendRaw(hub.port, [`${head}${framing}\r\n\r\n${body}`], { answers, waitMs: 1_000 });
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status!);
}

const smuggled = `POST /v1/threads HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer %\r\nContent-Type: application/json\r\nContent-Length: 31\r\n\r\n{"title":"smuggled","body":"B"}`;
const whole = `{${rest}}`;
const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

test.each([
  ['a length before chunks', `Content-Length: ${chunked(whole).length}\r\nTransfer-Encoding: chunked`],
  ['chunks before a length', `Transfer-Encoding: chunked\r\nContent-Length: ${chunked(whole).length}`],
  ['a length of 0 and chunks', 'Content-Length: 0\r\nTransfer-Encoding: chunked'],
  ['chunks in capitals and a length', 'Transfer-Encoding: CHUNKED\r\nContent-Length: 4'],
  ['chunks with a tab and a length', 'Transfer-Encoding:\tchunked\r\nContent-Length: 4'],
  ['chunks by another name and a length', 'Transfer-Encoding: x, chunked\r\nContent-Length: 4'],
  ['chunks that are not last', 'Transfer-Encoding: chunked, identity\r\nContent-Length: 4'],
  ['chunks with a folded line', 'Transfer-Encoding:\r\n chunked\r\nContent-Length: 4'],
  ['chunks with a bare line feed', 'X: y\nTransfer-Encoding: chunked\r\nContent-Length: 4'],
  ['two different lengths', `Content-Length: ${chunked(whole).length}\r\nContent-Length: 0`],
])('with %s no second request is read from the body', async (_, framing) => {
  const given = await statusesOf(framing, chunked(whole) + smuggled.replace('%', agent.bearerToken));
  const titles = (await threads()).map(({ title }) => title);
  expect([given[0], titles.includes('smuggled')]).toEqual(['400', false]);
});

test('bytes past the announced length are read as another request, and a short body is awaited and given up', async () => {
  // The server may close the connection before the first response arrives.
  const given = await statusesOf(`Content-Length: ${whole.length}`, `${whole}GARBAGE\r\n\r\n`);
  expect([given.at(-1), given.length <= 2]).toEqual(['400', true]);
  expect(await statusesOf(`Content-Length: ${whole.length + 10}`, whole, 1)).toEqual([]);
  expect(
    await statusesOf('Transfer-Encoding: chunked', `${(whole.length + 10).toString(16)}\r\n${whole}`, 1),
  ).toEqual([]);
});
