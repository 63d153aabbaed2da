import { describe, expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { edge, input, optionalInput, replies } from '#api/plugins/edge.ts';
import { readBytes, AbandonedBody } from '#api/request/body.ts';
import { object } from '#api/schemas.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { sendRaw } from '#test/harness/raw-http.ts';
import { errorResponse } from '#api/response/responses.ts';

const response = replies({
  200: { description: 'The received body.', schema: object({ body: Type.Unknown() }) },
});

const detail = () => ({ summary: 'Echo' });
const text = object({ text: Type.String() });

const modules = [
  new Elysia({ tags: ['service'] })
    .use(edge)
    .post('/take', ({ body }) => ({ body }), {
      anyone: true,
      body: input(object({ text: Type.Optional(Type.String()), tree: Type.Optional(Type.Unknown()) })),
      response,
      detail: detail(),
    })
    .post('/take-maybe', ({ body }) => ({ body }), {
      anyone: true,
      body: optionalInput(text),
      response,
      detail: detail(),
    })
    .post('/take-nothing', ({ body }) => ({ body }), { anyone: true, response, detail: detail() })
    .post('/take-much', ({ body }) => ({ body: body.text.length }), {
      anyone: true,
      body: input(text),
      bodyMaxBytes: 1_000_000,
      response,
      detail: detail(),
    }),
];

const hub = useTestHub({ modules });
const json = { 'content-type': 'application/json' };

const post = (
  path: string,
  body: string | Uint8Array<ArrayBuffer> | null,
  headers: Record<string, string> = json,
) => hub.fetch(path, { method: 'POST', body, headers });

/** A JSON document of exactly this many bytes. */
const ofSize = (bytes: number): string => `{"text":"${'x'.repeat(bytes - '{"text":""}'.length)}"}`;

const nested = (levels: number): string => `{"tree":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

const long = (text: string): string => text.repeat(Math.floor(60_000 / text.length));
const manyFields = Array.from({ length: 5_000 }, (_, index) => `"k${index}":1`).join(',');
const encoded = (text: string, encoding: 'utf16le' | 'latin1') => new Uint8Array(Buffer.from(text, encoding));

const costly: readonly (readonly [string, string | Uint8Array<ArrayBuffer>])[] = [
  ['nested objects that never end', long('{"a":')],
  ['nested objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ['thousands of fields', `{${manyFields}}`],
  ['one field thousands of times', `{"text":"a"${long(',"x":1')}}`],
  ['thousands of empty names', `{"text":"a"${long(',"":1')}}`],
  ['a name of 60,000 characters', `{"text":"a","${long('x')}":1}`],
  ['a number of 60,000 digits', `{"text":${long('9')}}`],
  ['a number of 60,000 decimals', `{"text":0.${long('9')}}`],
  ['an exponent past all numbers', '{"text":1e999999999}'],
  ['60,000 backslashes', `{"text":"${long('\\\\')}`],
  ['escaped quotes that never end', `{"text":"${long('\\"')}`],
  ['nothing but blanks', long(' ')],
  ['nothing but quotes', long('"')],
  ['nothing but commas', `{${long(',')}}`],
  ['an array after a byte order mark', '\ufeff[]'],
  ['UTF-16', encoded('{"text":"a"}', 'utf16le')],
  ['UTF-16 with a byte order mark', encoded('\ufeff{"text":"a"}', 'utf16le')],
  ['Latin-1', encoded('{"text":"é"}', 'latin1')],
  ['UTF-8 beyond the last code point', Uint8Array.of(0x22, 0xf4, 0x90, 0x80, 0x80, 0x22)],
];

describe('a body', () => {
  test('may be up to 64 KiB long, in bytes', async () => {
    expect((await post('/take', ofSize(65_536))).status).toBe(200);
    const rejected = await post('/take', ofSize(65_537));
    expectError(rejected, 413, 'body_too_large');
    expect(rejected.body.message).toContain('65536 bytes');
    expect((await post('/take', `{"text":"${'é'.repeat(40_000)}"}`)).status).toBe(413);
  });

  test('may be longer if the endpoint declares it', async () => {
    expect((await post('/take-much', ofSize(900_000))).body).toEqual({ body: 900_000 - 11 });
    expect((await post('/take-much', ofSize(1_000_001))).status).toBe(413);
  });

  const head = 'POST /take HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n';
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`;

  test('is rejected by its Content-Length before it is sent', async () => {
    const response = await sendRaw(hub.port, [`${head}Content-Length: 100000000000\r\n\r\n`]);
    expect(response).toStartWith('HTTP/1.1 413');
    expect(response).toContain('"error":"body_too_large"');
  });

  test('is rejected once its chunks exceed the limit', async () => {
    const chunk = `2000\r\n${'x'.repeat(0x2000)}\r\n`;
    const response = await sendRaw(hub.port, [chunked, ...Array<string>(9).fill(chunk)]);
    expect(response).toStartWith('HTTP/1.1 413');
  });

  test('may come in chunks', async () => {
    const chunks = ['8\r\n{"text":\r\n', '4\r\n"a"}\r\n0\r\n\r\n'];
    expect(await sendRaw(hub.port, [chunked, ...chunks])).toContain('{"body":{"text":"a"}}');
  });

  test('that does not arrive in time gets 400', async () => {
    for (const headers of [json, { ...json, 'content-length': '50' }]) {
      const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('{"te')) });
      const request = new Request('http://hub.test/take', { method: 'POST', headers, body });
      const message = 'The body did not arrive within 0.02 seconds; send it again without pauses.';
      const reading = readBytes(request, 100, { timeoutMs: 20 });
      await expect(reading).rejects.toMatchObject({ code: 'invalid_body', message });
    }
  });

  test('that breaks off affects only its own request', async () => {
    await sendRaw(hub.port, [`${head}Content-Length: 50\r\n\r\n{"te`], { waitMs: 50 });
    expect((await post('/take', '{"text":"a"}')).status).toBe(200);
  });

  test.each([
    ['application/json', 200],
    ['application/json; charset=utf-8', 200],
    ['Application/JSON;charset="UTF-8"', 200],
    ['application/json; charset=latin1', 415],
    ['application/jsonx', 415],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['application/problem+json', 415],
  ])('of type %s gets %d', async (type, status) => {
    const response = await post('/take', '{}', { 'content-type': type });
    expect(response.status).toBe(status);
    if (status === 415) expect(response.body.error).toBe('unsupported_media_type');
  });

  test.each(['gzip', 'br', 'identity, gzip', 'GZIP', 'rot13'])(
    'encoded as %s gets 415 with the reason',
    async (encoding) => {
      const packed = new Uint8Array(Bun.gzipSync('{"text":"a"}'));
      for (const path of ['/take', '/take-maybe', '/take-nothing']) {
        const rejected = await post(path, packed, { ...json, 'content-encoding': encoding });
        expectError(rejected, 415, 'unsupported_media_type');
        expect(rejected.body.message).toContain('Content-Encoding');
      }
    },
  );

  test('may have Content-Encoding: identity', async () => {
    for (const encoding of ['identity', 'Identity', '']) {
      const response = await post('/take', '{"text":"a"}', { ...json, 'content-encoding': encoding });
      expect([encoding, response.status]).toEqual([encoding, 200]);
    }
  });

  test('without a content type gets 415', async () => {
    const request = 'POST /take HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}';
    expect(await sendRaw(hub.port, [request])).toStartWith('HTTP/1.1 415');
  });

  const notJson = 'The body is not valid JSON; check quotes, commas and brackets.';
  const notUtf8 = 'The body is not valid UTF-8; encode the JSON in UTF-8.';
  const tooDeep = 'The body must not nest objects and arrays deeper than 32 levels.';

  test.each<[string, string | Uint8Array<ArrayBuffer>, string]>([
    ['that is empty', '', 'The body is empty; it must be a JSON object.'],
    ['that is not JSON', '{text: 1}', notJson],
    ['with text after its end', '{} {}', notJson],
    ['that is not UTF-8', Uint8Array.of(0x22, 0xff, 0x22), notUtf8],
    ['with a surrogate encoded in UTF-8', Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), notUtf8],
    [
      'with a duplicate field',
      '{"text":"a","te\\u0078t":"b"}',
      'The body has the field "text" twice in one object; send it once.',
    ],
    ['that nests 33 deep', nested(33), tooDeep],
    ['of brackets only', '['.repeat(65_536), notJson],
    ['with the deepest possible nesting', '['.repeat(30_000) + ']'.repeat(30_000), tooDeep],
    ['that is an array', '[]', 'The body must be an object; it is an array.'],
    [
      'that sets a prototype',
      '{"__proto__":{"text":"a"}}',
      '`__proto__` is not a known field. Known fields: `text`, `tree`.',
    ],
  ])('%s gets 400', async (_, body, message) => {
    const response = await post('/take', body);
    expectError(response, 400, 'invalid_body');
    expect(response.body.message).toBe(message);
  });

  test.each(costly)('of %s gets 400 within a second of processor time', async (_, body) => {
    const startedAt = process.cpuUsage();
    const response = await post('/take', body);
    const { user, system } = process.cpuUsage(startedAt);
    expect([response.status, response.body.error]).toEqual([400, 'invalid_body']);
    expect(response.body.message.length).toBeLessThan(400);
    // Anything quadratic in the size of the body takes seconds, whatever else the machine does.
    expect(user + system).toBeLessThan(1_000_000);
  });

  test('may begin with a byte order mark, and nest 32 deep', async () => {
    expect((await post('/take', '\ufeff{"text":"a"}')).body).toEqual({ body: { text: 'a' } });
    expect((await post('/take', nested(32))).status).toBe(200);
  });

  test('must not contain NUL or lone surrogates, even in untyped fields', async () => {
    for (const text of ['\\u0000', '\\ud800', 'a\\udc00'])
      for (const body of [`{"text":"${text}"}`, `{"tree":[{"${text}":1}]}`, `{"tree":{"a":["${text}"]}}`])
        expectError(await post('/take', body), 400, 'invalid_body');
    expect((await post('/take', '{"text":"\\ud83d\\ude00"}')).body).toEqual({ body: { text: '😀' } });
  });

  test('may be omitted if it is optional, and is validated otherwise', async () => {
    expect((await post('/take-maybe', null, {})).body).toEqual({ body: null });
    expect((await post('/take-maybe', '')).body).toEqual({ body: null });
    expect((await post('/take-maybe', '{"text":"a"}')).body).toEqual({ body: { text: 'a' } });
    for (const body of ['{}', 'null']) expectError(await post('/take-maybe', body), 400, 'invalid_body');
  });

  test('may be an empty object where none is declared', async () => {
    expect((await post('/take-nothing', null, {})).status).toBe(200);
    expect((await post('/take-nothing', '{}')).status).toBe(200);
    expect((await post('/take-nothing', 'null')).status).toBe(400);
    expect((await post('/take-nothing', '{"text":"a"}')).body.message).toBe(
      '`text` is not a known field. This object has no fields.',
    );
  });
});

/** A body that arrives slowly gives way to others that wait for its turn, and ends its connection. */
const endless = () =>
  new Request('http://hub', { method: 'POST', body: new ReadableStream({ pull: () => Bun.sleep(60_000) }) });

const given = (isWaitedFor: () => boolean) => ({ timeoutMs: 200, turn: { keptMs: 20, isWaitedFor } });
const failureOf = (reading: Promise<unknown>) => reading.catch((error: unknown) => error);

test('a slow body goes on while nobody waits, and gives way when somebody does', async () => {
  const startedAt = performance.now();
  const isWaitedFor = () => performance.now() - startedAt > 50;
  const gaveWay = await failureOf(readBytes(endless(), 9, given(isWaitedFor)));
  expect(gaveWay).toMatchObject({ code: 'rate_limited' });
  const alone = given(() => false);
  const late = await failureOf(readBytes(endless(), 9, alone));
  expect(late).toMatchObject({ code: 'invalid_body' });
  for (const error of [gaveWay, late]) {
    const { headers } = errorResponse(error as AbandonedBody, { requestId: 'r' });
    expect([error, headers.get('connection')]).toEqual([expect.any(AbandonedBody), 'close']);
  }
});
