import { describe, expect, test } from 'bun:test';
import { createServer } from 'node:https';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';

import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createGuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import type { GuardedHttpLimits } from '#runtime/guarded-http/limits.ts';

import { makeTestAuthority, type Certificate } from '#test/harness/certificates.ts';
import { startRawServer } from './support/raw-server.ts';

const trusted = makeTestAuthority();
const stranger = makeTestAuthority();

const policy = createAddressPolicy(['loopback']);
const client = (limits = {}) =>
  createGuardedHttp({
    policy,
    limits,
    resolve: () => Promise.resolve(['127.0.0.1']),
    tlsAuthorities: [trusted.cert],
  });

/**
 * Requests a TLS server that has this certificate and responds with what it saw; `requests` counts the
 * requests it received.
 */
async function ask(certificate: Certificate, host: string, options: { maxVersion?: 'TLSv1.1' } = {}) {
  let requests = 0;
  const server = createServer(
    { ...certificate, ...options, ...(options.maxVersion && { minVersion: 'TLSv1' }) },
    (request, response) => {
      requests += 1;
      // Only TLS sockets have `servername`, and this server has no others.
      const { servername } = request.socket as typeof request.socket & { servername: string | false };
      response.end(JSON.stringify({ servername, host: request.headers.host, version: request.httpVersion }));
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  const http = client();
  const outcome = await http.request({
    url: `https://${host}:${address.port}/`,
    method: 'POST',
    body: 'secret',
  });
  http.close();
  server.closeAllConnections();
  server.close();
  const saw = outcome.ok ? JSON.parse(Buffer.from(outcome.body).toString()) : null;
  return { outcome, saw, requests, port: address.port };
}

describe('a target with a valid certificate', () => {
  test('is called with its name as server name, although the connection goes to an address', async () => {
    const { saw, port } = await ask(trusted.issue('DNS:target.test'), 'target.test');
    expect(saw).toEqual({ servername: 'target.test', host: `target.test:${port}`, version: '1.1' });
  });

  test('may have a trailing dot or match a wildcard', async () => {
    expect((await ask(trusted.issue('DNS:target.test'), 'target.test.')).saw).toMatchObject({
      servername: 'target.test',
    });
    expect((await ask(trusted.issue('DNS:*.target.test'), 'a.target.test')).saw).toMatchObject({
      servername: 'a.target.test',
    });
  });

  test('may be an address, for which no server name is sent', async () => {
    expect((await ask(trusted.issue('IP:127.0.0.1'), '127.0.0.1')).saw).toMatchObject({ servername: false });
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
  const server = createServer(trusted.issue('DNS:target.test'), (request, response) => {
    requests += 1;
    const before = perConnection.get(request.socket) ?? 0;
    perConnection.set(request.socket, before + 1);
    if (before === 0) response.end('hi');
    else last(request.socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  const http = client();
  const call = async () => {
    const { ok } = await http.request({
      url: `https://target.test:${address.port}/`,
      method: 'POST',
      body: '{}',
    });
    await Bun.sleep(5); // The connection returns to the pool one turn of the event loop after the response.
    return ok;
  };
  expect([await call(), await call(), requests]).toEqual([true, true, 3]);
  last = (socket) => socket.end(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(20_000)}`);
  expect([await call(), requests]).toEqual([false, 4]);
  http.close();
  server.closeAllConnections();
  server.close();
});

test('a target that speaks only TLS 1.1 is unreachable', async () => {
  const { outcome } = await ask(trusted.issue('DNS:target.test'), 'target.test', { maxVersion: 'TLSv1.1' });
  expect(outcome).toMatchObject({ ok: false, fault: 'unreachable' });
});

describe('a target that does not speak TLS', () => {
  test('is unreachable when it never completes the handshake within the connect timeout', async () => {
    await using server = await startRawServer();
    const startedAt = performance.now();
    const outcome = await client({ connectTimeoutMs: 200 }).request({
      url: `https://target.test:${server.port}/`,
      method: 'GET',
    });
    expect(outcome).toMatchObject({ ok: false, fault: 'unreachable', retryable: true });
    expect(performance.now() - startedAt).toBeWithin(195, 20_000);
    expect(await server.untilOpen(0)).toBe(0);
  });

  const clientOf = (addresses: readonly string[], limits: Partial<GuardedHttpLimits>) =>
    createGuardedHttp({
      policy,
      limits,
      resolve: () => Promise.resolve(addresses),
      tlsAuthorities: [trusted.cert],
    });

  test('leaves time to connect to the next address of the name', async () => {
    await using silent = await startRawServer();
    const server = createServer(trusted.issue('DNS:target.test'), (_request, response) => response.end('hi'));
    server.listen(silent.port, '127.0.0.2');
    await once(server, 'listening');
    const http = clientOf(['127.0.0.1', '127.0.0.2'], { connectTimeoutMs: 3_000 });
    const outcome = await http.request({ url: `https://target.test:${silent.port}/`, method: 'GET' });
    http.close();
    server.close();
    expect(outcome).toMatchObject({ ok: true, address: `127.0.0.2:${silent.port}` });
  });

  test('takes as long for three addresses as for one', async () => {
    await using first = await startRawServer();
    await using second = await startRawServer(() => {}, '127.0.0.2', first.port);
    await using third = await startRawServer(() => {}, '127.0.0.3', first.port);
    const startedAt = performance.now();
    const http = clientOf(['127.0.0.1', '127.0.0.2', '127.0.0.3'], { connectTimeoutMs: 1_600 });
    const outcome = await http.request({ url: `https://target.test:${first.port}/`, method: 'GET' });
    expect(outcome).toMatchObject({ ok: false, fault: 'unreachable', retryable: true });
    // Without the shared deadline, the three attempts would get 0.5, 0.8 and 1.6 seconds.
    expect(performance.now() - startedAt).toBeWithin(1_590, 2_850);
    expect([first.connections, second.connections, third.connections]).toEqual([1, 1, 1]);
  });

  test('is unreachable when it closes the connection or responds in plain text', async () => {
    const answers = ['', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'];
    const plain = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data(socket) {
          socket.end(answers.pop());
        },
      },
    });
    const http = client();
    for (let call = 0; call < 2; call += 1) {
      const outcome = await http.request({ url: `https://target.test:${plain.port}/`, method: 'GET' });
      expect(outcome).toMatchObject({ ok: false, fault: 'unreachable' });
    }
    plain.stop(true);
  });
});
