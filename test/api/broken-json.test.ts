/**
 * Bodies that are deep, huge, broken or framed by a lie, sent to an endpoint of the running hub: each is refused with what
 * is wrong about it, none is taken for something else, and none costs more than a body of its size may.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { sendRaw } from '#test/harness/raw-http.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';

/** The limit of decisions.md section 1. */
const bodyMaxBytes = 64 * 1_024;

let store: ScratchStore;
let hub: TestHub;
let agent: TestAgent;
beforeAll(async () => {
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store });
  agent = await createTestAgent(hub.ctx);
});
afterAll(async () => {
  await hub.close();
  await store.remove();
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
  ['lists within each other', `{"title":${repeat('[')}`],
  ['objects within each other', repeat('{"a":')],
  ['closed lists within each other', `{"title":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
  ['closed objects within each other', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ['thousands of fields', `{${rest},${manyKeys}}`],
  ['one field twice', '{"title":"A","title":"C","body":"B"}'],
  ['one field twice, spelt otherwise', '{"title":"A","t\\u0069tle":"C","body":"B"}'],
  ['one field thousands of times', `{${rest}${repeat(',"x":1', 60_000)}}`],
  ['thousands of empty names', `{${rest}${repeat(',"":1', 60_000)}}`],
  ['a name of 60,000 characters', `{${rest},"${repeat('x', 60_000)}":1}`],
  ['a number of 60,000 digits', `{"title":${repeat('9', 60_000)},"body":"B"}`],
  ['a number of 60,000 decimals', `{"title":0.${repeat('9', 60_000)},"body":"B"}`],
  ['an exponent past all numbers', `{"title":1e999999999,"body":"B"}`],
  ['60,000 backslashes', `{"title":"${repeat('\\\\', 60_000)}`],
  ['10,000 escaped quotes that never end', `{"title":"${repeat('\\"', 20_000)}`],
  ['nothing but blanks', repeat(' ')],
  ['nothing but quotes', repeat('"')],
  ['nothing but commas', `{${repeat(',')}}`],
  ['a byte order mark before a list', '\ufeff[]'],
  ['UTF-16', encoded(`{${rest}}`, 'utf16le')],
  ['UTF-16 with a byte order mark', encoded(`\ufeff{${rest}}`, 'utf16le')],
  ['Latin-1', encoded('{"title":"é","body":"B"}', 'latin1')],
  ['UTF-8 that is longer than it need be', Uint8Array.of(0x22, 0xc0, 0xaf, 0x22)],
  ['UTF-8 past the last character', Uint8Array.of(0x22, 0xf4, 0x90, 0x80, 0x80, 0x22)],
  ['UTF-8 that is cut off', Uint8Array.of(0x22, 0xe2, 0x82)],
  ['a NUL before it', `\0{${rest}}`],
  ['a NUL behind it', `{${rest}}\0`],
  ['a NUL within a text', '{"title":"A\0","body":"B"}'],
  ['a line end within a text', '{"title":"A\nB","body":"B"}'],
  ['NaN', '{"title":NaN,"body":"B"}'],
  ['Infinity', '{"title":-Infinity,"body":"B"}'],
  ['undefined', '{"title":undefined,"body":"B"}'],
  ['single quotes', "{'title':'A','body':'B'}"],
  ['no quotes', '{title:"A",body:"B"}'],
  ['a comma at the end', `{${rest},}`],
  ['a comment', `{${rest}/* x */}`],
  ['a comment behind it', `{${rest}}// x`],
  ['hexadecimal numbers', '{"title":0x10,"body":"B"}'],
  ['a number with a plus', '{"title":+1,"body":"B"}'],
  ['a number that begins with 0', '{"title":01,"body":"B"}'],
  ['two values', `{${rest}}{${rest}}`],
  ['lines of JSON', `{${rest}}\n{${rest}}\n`],
  ['a sequence of JSON', `\u001e{${rest}}\n`],
  ['a prefix against hijacking', `)]}',\n{${rest}}`],
  ['a form', 'title=A&body=B'],
  ['XML', '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><x>&y;</x>'],
  ['YAML', 'title: A\nbody: B\n'],
  ['a prototype', `{${rest},"__proto__":{"admin":true}}`],
  ['a prototype that is spelt otherwise', `{${rest},"__pro\\u0074o__":{"admin":true}}`],
  ['a constructor', `{${rest},"constructor":{"prototype":{"admin":true}}}`],
  ['half of a pair', '{"title":"\\ud83d","body":"B"}'],
  ['the halves of a pair the wrong way round', '{"title":"\\ude00\\ud83d","body":"B"}'],
  ['a field of another case', '{"Title":"A","body":"B"}'],
  ['a field with a blank', '{"title ":"A","body":"B"}'],
  ['a look-alike field', '{"tіtle":"A","body":"B"}'],
];

test.each(broken)('a body of %s is 400, at once', async (_, body) => {
  const startedAt = process.cpuUsage();
  const { status, body: answer } = await send(body);
  expect([status, answer.error]).toEqual([400, 'invalid_body']);
  expect(answer.message.length).toBeLessThan(400);
  const { user, system } = process.cpuUsage(startedAt);
  // In time of the processor, whatever else the machine does; what grows with the square of a body takes seconds.
  expect(user + system).toBeLessThan(1_000_000);
});

test('none of them was taken, and a prototype is as it was', async () => {
  expect(await threads()).toEqual([]);
  expect(Reflect.get({}, 'admin')).toBeUndefined();
  expect((await send(`{${rest}}`)).status).toBe(201);
  // A mark that says nothing but what the text is anyway.
  expect((await send(`\ufeff{${rest}}`)).status).toBe(201);
  expect(await threads()).toHaveLength(2);
});

test('a small body that would unpack to a gigabyte is not unpacked', async () => {
  const bomb = new Uint8Array(Bun.gzipSync(new Uint8Array(256 * 1_024 * 1_024)));
  const before = process.memoryUsage.rss();
  for (const encoding of ['gzip', 'x-gzip', 'gzip, gzip', 'GZIP', 'deflate', 'br', 'zstd', 'compress']) {
    for (const body of [bomb, bomb.slice(0, 60_000)]) {
      const { status } = await send(body, { ...json, 'content-encoding': encoding });
      expect([encoding, [413, 415].includes(status)]).toEqual([encoding, true]);
    }
  }
  expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 1_024 * 1_024);
});

/** Two requests on one connection, of which the first says something untrue of its length. */
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
  ['chunks with a bare line end', 'X: y\nTransfer-Encoding: chunked\r\nContent-Length: 4'],
  ['two lengths that differ', `Content-Length: ${chunked(whole).length}\r\nContent-Length: 0`],
])('with %s the next request is not taken out of the body', async (_, framing) => {
  const given = await statusesOf(framing, chunked(whole) + smuggled.replace('%', agent.bearerToken));
  const titles = (await threads()).map(({ title }) => title);
  expect([given[0], titles.includes('smuggled')]).toEqual(['400', false]);
});

test('a body that is longer than it says is another request, and one that is shorter is waited for and given up', async () => {
  // The server may hang up over it before the first has its answer.
  const given = await statusesOf(`Content-Length: ${whole.length}`, `${whole}GARBAGE\r\n\r\n`);
  expect([given.at(-1), given.length <= 2]).toEqual(['400', true]);
  expect(await statusesOf(`Content-Length: ${whole.length + 10}`, whole, 1)).toEqual([]);
  expect(
    await statusesOf('Transfer-Encoding: chunked', `${(whole.length + 10).toString(16)}\r\n${whole}`, 1),
  ).toEqual([]);
});
