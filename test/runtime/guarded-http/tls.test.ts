import { describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { ListenOptions } from 'node:net';
import type { Duplex } from 'node:stream';

import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createGuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import type { GuardedHttpLimits } from '#runtime/guarded-http/limits.ts';

import { makeTestAuthority, type Certificate } from '#test/harness/certificates.ts';
import { startRawServer } from './support/raw-server.ts';

const trusted = makeTestAuthority();
const stranger = makeTestAuthority();

const policy = createAddressPolicy(['loopback']);
const client = (limits: Partial<GuardedHttpLimits> = {}, addresses: readonly string[] = ['127.0.0.1']) =>
  createGuardedHttp({
    policy,
    limits,
    resolve: () => Promise.resolve(addresses),
    tlsAuthorities: [trusted.cert],
  });
const urlAt = (port: number, host = 'target.test') => `https://${host}:${port}/`;

async function startTlsServer(options: ServerOptions, listener: RequestListener, at: ListenOptions = {}) {
  const server = createServer(options, listener);
  server.listen({ port: 0, host: '127.0.0.1', ...at });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    port: address.port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Requests a TLS server that has this certificate and responds with what it saw; `requests` counts the
 * requests it received.
 */
async function ask(certificate: Certificate, host: string, options: ServerOptions = {}) {
  let requests = 0;
  await using server = await startTlsServer({ ...certificate, ...options }, (request, response) => {
    requests += 1;
    // Only TLS sockets have `servername`, and this server has no others.
    const { servername } = request.socket as typeof request.socket & { servername: string | false };
    response.end(JSON.stringify({ servername, host: request.headers.host, version: request.httpVersion }));
  });
  const http = client();
  const outcome = await http.request({ url: urlAt(server.port, host), method: 'POST', body: 'secret' });
  http.close();
  const saw = outcome.ok ? JSON.parse(Buffer.from(outcome.body).toString()) : null;
  return { outcome, saw, requests, port: server.port };
}

describe('a target with a valid certificate', () => {
  test('is called with its name as server name, although the connection goes to an address', async () => {
    const { saw, port } = await ask(trusted.issue('DNS:target.test'), 'target.test');
    expect(saw).toEqual({ servername: 'target.test', host: `target.test:${port}`, version: '1.1' });
  });

  test.each([
    ['with a trailing dot', 'DNS:target.test', 'target.test.', 'target.test'],
    ['that matches a wildcard', 'DNS:*.target.test', 'a.target.test', 'a.target.test'],
    ['that is an address, for which no server name is sent', 'IP:127.0.0.1', '127.0.0.1', false],
  ])('may have a host %s', async (_, subject, host, servername) => {
    expect((await ask(trusted.issue(subject), host)).saw).toMatchObject({ servername });
  });
});

describe('a target with an invalid certificate is unreachable, is sent nothing and is not retried', () => {
  const altName = 'ERR_TLS_CERT_ALTNAME_INVALID';
  const unsigned = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
  const wrong: readonly (readonly [string, () => Certificate, string, string])[] = [
    ['for another name', () => trusted.issue('DNS:other.test'), 'target.test', altName],
    ['for a wildcard one level off', () => trusted.issue('DNS:*.target.test'), 'a.b.target.test', altName],
    ['for the address instead of the name', () => trusted.issue('IP:127.0.0.1'), 'target.test', altName],
    ['for another address', () => trusted.issue('IP:127.0.0.2'), '127.0.0.1', altName],
    ['for the address as if it were a name', () => trusted.issue('DNS:127.0.0.1'), '127.0.0.1', altName],
    ['from an unknown authority', () => stranger.issue('DNS:target.test'), 'target.test', unsigned],
    ['expired', () => trusted.issue('DNS:target.test', 'expired'), 'target.test', 'CERT_HAS_EXPIRED'],
  ];
  test.each(wrong)('%s, and the reason can be logged', async (_name, certificate, host, code) => {
    const { outcome, requests } = await ask(certificate(), host);
    expect(outcome).toMatchObject({ ok: false, fault: 'unreachable', retryable: false });
    expect(outcome).toMatchObject({ cause: { cause: { code } } });
    expect(requests).toBe(0);
  });

  test('even when the environment disables verification', async () => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      for (const certificate of [trusted.issue('DNS:other.test'), stranger.issue('DNS:target.test')]) {
        const { outcome, requests } = await ask(certificate, 'target.test');
        expect(outcome).toMatchObject({ ok: false, fault: 'unreachable', retryable: false });
        expect(requests).toBe(0);
      }
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  });
});

test('a kept connection that the target has closed is replaced, unless part of a response has arrived', async () => {
  const perConnection = new WeakMap<object, number>();
  let requests = 0;
  let last: (socket: Duplex) => void = (socket) => socket.destroy();
  await using server = await startTlsServer(trusted.issue('DNS:target.test'), (request, response) => {
    requests += 1;
    const before = perConnection.get(request.socket) ?? 0;
    perConnection.set(request.socket, before + 1);
    if (before === 0) response.end('hi');
    else last(request.socket);
  });
  const http = client();
  const call = async () => {
    const { ok } = await http.request({ url: urlAt(server.port), method: 'POST', body: '{}' });
    await Bun.sleep(5); // The connection returns to the pool one turn of the event loop after the response.
    return ok;
  };
  expect([await call(), await call(), requests]).toEqual([true, true, 3]);
  last = (socket) => socket.end(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(20_000)}`);
  expect([await call(), requests]).toEqual([false, 4]);
  http.close();
});

test('a target that speaks only TLS 1.1 is unreachable', async () => {
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const;
  const { outcome } = await ask(trusted.issue('DNS:target.test'), 'target.test', old);
  expect(outcome).toMatchObject({ ok: false, fault: 'unreachable' });
});

describe('a target that does not speak TLS', () => {
  test('is unreachable when it never completes the handshake within the connect timeout', async () => {
    await using server = await startRawServer();
    const startedAt = performance.now();
    const http = client({ connectTimeoutMs: 200 });
    const outcome = await http.request({ url: urlAt(server.port), method: 'GET' });
    expect(outcome).toMatchObject({ ok: false, fault: 'unreachable', retryable: true });
    expect(performance.now() - startedAt).toBeWithin(195, 20_000);
    expect(await server.untilOpen(0)).toBe(0);
  });

  test('leaves time to connect to the next address of the name', async () => {
    await using silent = await startRawServer();
    const { port } = silent;
    const at = { port, host: '127.0.0.2' };
    const reply: RequestListener = (_request, response) => void response.end('hi');
    await using server = await startTlsServer(trusted.issue('DNS:target.test'), reply, at);
    const http = client({ connectTimeoutMs: 3_000 }, ['127.0.0.1', '127.0.0.2']);
    const outcome = await http.request({ url: urlAt(server.port), method: 'GET' });
    http.close();
    expect(outcome).toMatchObject({ ok: true, address: `127.0.0.2:${port}` });
  });

  test('takes as long for three addresses as for one', async () => {
    await using first = await startRawServer();
    await using second = await startRawServer(() => {}, '127.0.0.2', first.port);
    await using third = await startRawServer(() => {}, '127.0.0.3', first.port);
    const startedAt = performance.now();
    const http = client({ connectTimeoutMs: 1_600 }, ['127.0.0.1', '127.0.0.2', '127.0.0.3']);
    const outcome = await http.request({ url: urlAt(first.port), method: 'GET' });
    expect(outcome).toMatchObject({ ok: false, fault: 'unreachable', retryable: true });
    // Without the shared deadline, the three attempts would get 0.5, 0.8 and 1.6 seconds.
    expect(performance.now() - startedAt).toBeWithin(1_590, 2_850);
    expect([first.connections, second.connections, third.connections]).toEqual([1, 1, 1]);
  });

  test('is unreachable when it closes the connection or responds in plain text', async () => {
    for (const answer of ['', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi']) {
      const socket = { data: (one: { end(text: string): void }) => one.end(answer) };
      const plain = Bun.listen({ hostname: '127.0.0.1', port: 0, socket });
      const outcome = await client().request({ url: urlAt(plain.port), method: 'GET' });
      expect(outcome).toMatchObject({ ok: false, fault: 'unreachable' });
      plain.stop(true);
    }
  });
});
