import { describe, expect, test } from 'bun:test';
import type { Socket } from 'node:net';

import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createGuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import type { GuardedHttpLimits } from '#runtime/guarded-http/limits.ts';

import { startRawServer, type Script } from './support/raw-server.ts';

const policy = createAddressPolicy(['loopback']);
const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;
const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';
const two = 'Content-Length: 2\r\n\r\nhi';
const kibibyte = 'x'.repeat(1024);

/**
 * Sends the request once and reports the outcome, the time it took and whether the connection was closed.
 */
async function ask(script: Script, limits: Partial<GuardedHttpLimits> = {}) {
  await using server = await startRawServer(script);
  const http = createGuardedHttp({ policy, limits: { answerTimeoutMs: 25_000, ...limits } });
  const startedAt = performance.now();
  const outcome = await http.request({ url: server.url, method: 'POST', body: '{}' });
  const tookMs = performance.now() - startedAt;
  http.close();
  const short = outcome.ok
    ? `${outcome.status} ${Buffer.from(outcome.body).toString('latin1')}`
    : outcome.fault;
  return { outcome, short, tookMs, open: await server.untilOpen(0), connections: server.connections };
}

/** Writes for as long as the other side reads. */
function pour(socket: Socket, start: string, piece: string): void {
  socket.write(start);
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', more);
  more();
}

/** One byte at a time, without end. */
function trickle(socket: Socket, start: string, everyMs: number): void {
  socket.write(start);
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write('x')), everyMs);
  socket.on('close', () => clearInterval(timer));
}

describe('an unusual but valid response is read', () => {
  test.each([
    ['with a length', `${ok}${two}`],
    ['in chunks with extensions and trailers', `${chunked}1;a=b\r\nh\r\n1\r\ni\r\n0\r\nX-Sum: 1\r\n\r\n`],
    ['after interim answers', `${goOn}HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${ok}${two}`],
    ['that says identity', `${ok}Content-Encoding: Identity\r\n${two}`],
    ['with headers named like object members', `${ok}__proto__: a\r\nconstructor: b\r\n${two}`],
  ])('%s', async (_name, bytes) => {
    expect((await ask((socket) => socket.write(bytes))).short).toBe('200 hi');
  });

  test('with no body, or an empty one', async () => {
    const none = 'HTTP/1.1 204 No Content\r\n\r\n';
    expect((await ask((socket) => socket.write(none))).short).toBe('204 ');
    expect((await ask((socket) => socket.write(`${ok}Content-Length: 0\r\n\r\n`))).short).toBe('200 ');
  });

  test('up to the end of the connection, when it is HTTP/1.0 or has no length', async () => {
    expect((await ask((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nhi'))).short).toBe('200 hi');
    expect((await ask((socket) => socket.end(`${ok}\r\nhi`))).short).toBe('200 hi');
  });

  test('however it is split into packets', async () => {
    const bytes = `${goOn}${chunked}2\r\nhi\r\n0\r\n\r\n`;
    const drip = async (socket: Socket) => {
      for (const byte of bytes) {
        socket.write(byte);
        await Bun.sleep(1);
      }
    };
    expect((await ask((socket) => void drip(socket))).short).toBe('200 hi');
  });

  test('up to the last byte of the body limit', async () => {
    const body = 'x'.repeat(1000);
    for (const head of [
      `Content-Length: 1000\r\n\r\n${body}`,
      `Transfer-Encoding: chunked\r\n\r\n3e8\r\n${body}\r\n0\r\n\r\n`,
    ]) {
      const script: Script = (socket) => socket.write(ok + head);
      expect((await ask(script, { maxBodyBytes: 1000 })).short).toBe(`200 ${body}`);
      expect((await ask(script, { maxBodyBytes: 999 })).short).toBe('too_large');
    }
  });
});

describe('a broken or unexpected response is a bad response', () => {
  const answers: readonly (readonly [string, string | Uint8Array])[] = [
    ['text that is not HTTP', 'hello there\r\n\r\n'],
    ['a TLS alert', new Uint8Array([0x15, 3, 1, 0, 2, 2, 40])],
    ['random bytes', new Uint8Array(4096).map((_, index) => (index * 197 + 61) % 256)],
    ['a status that is not a number', 'HTTP/1.1 2xx OK\r\n\r\n'],
    ['one header over the limit', `${ok}X: ${'a'.repeat(17 * 1024)}\r\n${two}`],
    ['many headers over the limit', `${ok}${'name: value\r\n'.repeat(4000)}${two}`],
    ['a folded header', `${ok}X: a\r\n b\r\n${two}`],
    ['a space before the colon', `${ok}Content-Length : 2\r\n\r\nhi`],
    ['NUL in a header', `${ok}X: a\0b\r\n${two}`],
    ['bare line feeds', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nhi'],
    ['a length that overflows', `${ok}Content-Length: 99999999999999999999999\r\n\r\nhi`],
    ['a negative length', `${ok}Content-Length: -2\r\n\r\nhi`],
    ['two lengths', `${ok}Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi`],
    [
      'a length and chunks',
      `${ok}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
    ],
    ['a chunk size that overflows', `${chunked}FFFFFFFFFFFFFFFFFF\r\nx`],
    ['a negative chunk size', `${chunked}-1\r\nx`],
    ['a chunk longer than it says', `${chunked}1\r\nhi\r\n0\r\n\r\n`],
    [
      'a switch of protocols',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nhi',
    ],
  ];
  test.each(answers)('%s', async (_name, bytes) => {
    const outcome = { retryable: false, cause: expect.any(Error) };
    const bad = { short: 'bad_response', open: 0, outcome };
    expect(await ask((socket) => socket.write(bytes))).toMatchObject(bad);
  });

  const endings: readonly (readonly [string, Script])[] = [
    ['no answer, the sending side closed', (socket) => socket.end()],
    ['no answer, the connection reset', (socket) => socket.resetAndDestroy()],
    ['half a status line', (socket) => socket.end('HTTP/1.1 20')],
    ['half the headers', (socket) => socket.end(`${ok}Content-`)],
    ['less than the length, closed', (socket) => socket.end(`${ok}Content-Length: 20\r\n\r\nhi`)],
    [
      'less than the length, reset',
      (socket) => socket.write(`${ok}Content-Length: 20\r\n\r\nhi`, () => socket.resetAndDestroy()),
    ],
    ['a chunk cut short', (socket) => socket.end(`${chunked}5\r\nhi`)],
    ['chunks without the last one', (socket) => socket.end(`${chunked}2\r\nhi\r\n`)],
  ];
  test.each(endings)('%s', async (_name, script) => {
    expect(await ask(script)).toMatchObject({ short: 'bad_response', connections: 1 });
  });
});

describe('a compressed response has a fault of its own, and keeps its status', () => {
  test.each([
    ['a transfer', 'Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n'],
    ...['gzip', 'br', 'zstd', 'deflate', 'x-gzip', 'identity, gzip', 'GZIP'].map(
      (coding) => [`a body in ${coding}`, `Content-Encoding: ${coding}\r\n${two}`] as const,
    ),
  ])('%s', async (_name, rest) => {
    const outcome = { retryable: false, received: { status: 201, body: new Uint8Array() } };
    const answer = await ask((socket) => socket.write(`HTTP/1.1 201 X\r\n${rest}`));
    expect(answer).toMatchObject({ short: 'encoded', open: 0, outcome });
  });
});

test('a decompression bomb is not decompressed: its body is not even read', async () => {
  const bomb = Bun.gzipSync(new Uint8Array(50_000_000));
  expect(bomb.length).toBeLessThan(256 * 1024);
  const head = `${ok}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`;
  const answer = await ask((socket) => (socket.write(head), socket.write(bomb)));
  expect(answer.short).toBe('encoded');
});

describe('an endless response is cut off long before the timeout', () => {
  const floods: readonly (readonly [string, string, string, string])[] = [
    ['body with a length', 'too_large', `${ok}Content-Length: 9999999999\r\n\r\n`, kibibyte],
    ['body up to the end of the connection', 'too_large', `${ok}\r\n`, kibibyte],
    ['body in large chunks', 'too_large', chunked, `400\r\n${kibibyte}\r\n`],
    ['body in chunks of one byte', 'too_large', chunked, '1\r\nx\r\n'.repeat(1000)],
    ['chunks with more extension than content', 'too_large', chunked, `1;${kibibyte}\r\nx\r\n`],
    ['chunk extension', 'bad_response', `${chunked}1;`, kibibyte],
    ['trailers', 'bad_response', `${chunked}2\r\nhi\r\n0\r\n`, `X: ${kibibyte}\r\n`],
    ['header', 'bad_response', `${ok}X: `, kibibyte],
    ['headers', 'bad_response', ok, `X: ${kibibyte}\r\n`],
    ['headers of three characters', 'bad_response', ok, 'a:b\r\n'.repeat(200)],
    ['status line', 'bad_response', 'HTTP/1.1 200 ', kibibyte],
    ['interim answers', 'bad_response', '', goOn.repeat(50)],
    ['early hints', 'bad_response', '', 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n'.repeat(50)],
    ['empty lines', 'too_large', '', '\r\n'.repeat(1000)],
  ];
  test.each(floods)('%s', async (_name, fault, start, piece) => {
    const answer = await ask((socket) => pour(socket, start, piece));
    expect(answer).toMatchObject({ short: fault, open: 0 });
  });
});

describe('a slow response is aborted at the timeout, measured in wall-clock time', () => {
  const slow: readonly (readonly [string, Script])[] = [
    ['nothing at all', () => {}],
    ['a trickling status line', (socket) => trickle(socket, 'HTTP/1.1 200 ', 10)],
    ['a trickling header', (socket) => trickle(socket, `${ok}X: `, 10)],
    ['a trickling body', (socket) => trickle(socket, `${ok}Content-Length: 5000\r\n\r\n`, 10)],
    ['an interim answer and then nothing', (socket) => socket.write(goOn)],
    ['headers and then nothing', (socket) => socket.write(chunked)],
  ];
  test.each(slow)('%s', async (_name, script) => {
    const answer = await ask(script, { answerTimeoutMs: 250 });
    expect(answer).toMatchObject({ short: 'timeout', open: 0, outcome: { retryable: false } });
    expect(answer.tookMs).toBeWithin(245, 20_000);
  });
});

describe('a status other than 2xx', () => {
  test.each([
    ...[300, 304, 400, 401, 404, 410, 500, 501, 999].map((status) => [status, null] as const),
    ...[429, 502, 503, 504].map((status) => [status, '7'] as const),
  ])('%i is a bad status, with the delay that it asks for: %p', async (status, retryAfter) => {
    const delay = retryAfter === null ? '' : `Retry-After: ${retryAfter}\r\n`;
    const bytes = `HTTP/1.1 ${status} X\r\n${delay}Content-Length: 0\r\n\r\n`;
    const { outcome, open } = await ask((socket) => socket.write(bytes));
    expect([outcome, open]).toMatchObject([{ ok: false, fault: 'bad_status', status, retryAfter }, 0]);
  });

  const head = 'HTTP/1.1 500 X\r\n';
  const beginnings: readonly (readonly [string, Script, number])[] = [
    ['a short body', (socket) => socket.write(`${head}Content-Length: 4\r\n\r\noops`), 4],
    ['a body that never ends', (socket) => pour(socket, `${head}\r\n`, kibibyte), 2_048],
    ['a body that is cut off', (socket) => socket.end(`${head}Content-Length: 9\r\n\r\noops`), 4],
    ['a body that does not arrive', (socket) => socket.write(`${head}Content-Length: 9\r\n\r\n`), 0],
    [
      'an encoded body',
      (socket) => socket.write(`${head}Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\noops`),
      0,
    ],
  ];
  test.each(beginnings)('has the beginning of %s', async (_name, script, bytes) => {
    const { outcome, open } = await ask(script);
    expect([outcome, open]).toMatchObject([{ fault: 'bad_status', status: 500 }, 0]);
    expect('body' in outcome ? outcome.body.length : null).toBe(bytes);
  });

  test.each([[301], [302], [303], [307], [308]])('%i is not followed', async (status) => {
    await using canary = await startRawServer();
    for (const location of [canary.url, `//127.0.0.1:${canary.port}/`, `\\\\127.0.0.1:${canary.port}`]) {
      const head = `HTTP/1.1 ${status} X\r\nLocation: ${location}\r\nRefresh: 0; url=${canary.url}\r\nContent-Length: 0\r\n\r\n`;
      const { outcome } = await ask((socket) => socket.write(head));
      expect(outcome).toMatchObject({ ok: false, fault: 'bad_status', status });
    }
    expect(canary.connections).toBe(0);
  });
});
