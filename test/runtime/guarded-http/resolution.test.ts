import { describe, expect, test } from 'bun:test';

import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createGuardedHttp, type GuardedRequest } from '#runtime/guarded-http/guarded-request.ts';
import type { GuardedHttpLimits } from '#runtime/guarded-http/limits.ts';

import { startDnsServer, type Zone } from './support/dns-server.ts';
import { startRawServer, type Script } from './support/raw-server.ts';

const hi: Script = (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi');

/**
 * A name server, a target on loopback that would respond, and a client that may or may not call loopback.
 */
async function scene(zone: Zone, allowed: readonly string[], limits: Partial<GuardedHttpLimits> = {}) {
  let answer = hi;
  const server = await startRawServer((socket, request) => answer(socket, request));
  const dns = await startDnsServer(zone);
  const http = createGuardedHttp({ policy: createAddressPolicy(allowed), resolve: dns.resolve, limits });
  return {
    server,
    dns,
    answerWith: (script: Script) => void (answer = script),
    ask: (host = 'target.test', more: Pick<GuardedRequest, 'signal'> = {}) =>
      http.request({ url: `http://${host}:${server.port}/`, method: 'POST', body: '{}', ...more }),
    async [Symbol.asyncDispose]() {
      http.close();
      await dns[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('a name that resolves to a denied address', () => {
  test('is blocked as soon as it resolves to one, even while a connection to it is open', async () => {
    await using canary = await startRawServer(hi, '127.0.0.2');
    await using it = await scene(
      (_name, lookup) => (lookup <= 2 ? ['127.0.0.1'] : ['127.0.0.2']),
      ['127.0.0.1'],
    );
    expect(await it.ask()).toMatchObject({ ok: true });
    expect(await it.ask()).toMatchObject({ ok: true });
    expect(it.server.connections).toBe(1);
    expect(await it.ask()).toMatchObject({ ok: false, fault: 'blocked', retryable: false });
    expect(canary.connections).toBe(0);
    expect(it.server.received.match(/POST/g)).toHaveLength(2);
  });
});

describe('a name that resolves to permitted addresses', () => {
  test('is called under its own name, at the address that was checked', async () => {
    await using it = await scene(() => ['127.0.0.1'], ['loopback']);
    const outcome = await it.ask('Target.Test');
    expect(outcome).toMatchObject({ ok: true, address: `127.0.0.1:${it.server.port}` });
    expect(it.server.received).toContain(`\r\nhost: target.test:${it.server.port}\r\n`);
  });

  test('is resolved for every request, and a kept connection to another address is not reused', async () => {
    await using it = await scene(
      (_name, lookup) => (lookup === 1 ? ['127.0.0.1'] : ['127.0.0.3']),
      ['loopback'],
    );
    expect(await it.ask()).toMatchObject({ ok: true });
    const { questions } = it.dns;
    expect(await it.ask()).toMatchObject({ ok: false, fault: 'unreachable' });
    expect(it.dns.questions).toBeGreaterThan(questions);
    expect(it.server.received.match(/POST/g)).toHaveLength(1);
  });

  test('is tried at the next address while nothing has been sent', async () => {
    await using it = await scene(() => ['127.0.0.3', '127.0.0.2', '127.0.0.1'], ['loopback']);
    expect(await it.ask()).toMatchObject({ ok: true, address: `127.0.0.1:${it.server.port}` });
  });

  test('is not tried at the next address once anything has been sent, whatever the outcome', async () => {
    await using it = await scene(() => ['127.0.0.1', '127.0.0.2'], ['loopback'], { answerTimeoutMs: 1_000 });
    const answers: Script[] = [hi, (socket) => socket.end('garbage\r\n\r\n'), () => {}];
    await using next = await startRawServer(hi, '127.0.0.2', it.server.port);
    const outcomes: unknown[] = [];
    for (const answer of answers) {
      it.answerWith(answer);
      const outcome = await it.ask();
      outcomes.push(outcome.ok || outcome.fault);
    }
    expect(outcomes).toEqual([true, 'bad_response', 'timeout']);
    expect(next.connections).toBe(0);
  });

  test('is tried at no more addresses than the limit', async () => {
    await using it = await scene(() => ['127.0.0.3', '127.0.0.2', '127.0.0.1'], ['loopback'], {
      maxAddressesTried: 2,
    });
    expect(await it.ask()).toMatchObject({ ok: false, fault: 'unreachable', retryable: true });
    expect(it.server.connections).toBe(0);
  });

  test('is rejected when it has more addresses than any legitimate target needs', async () => {
    const many = Array.from({ length: 11 }, (_, index) => `127.0.0.${index + 1}`);
    const zone: Zone = (name) => (name === 'honest.test' ? many.slice(0, 10) : many);
    await using it = await scene(zone, ['loopback'], { maxAddresses: 10 });
    expect(await it.ask()).toMatchObject({ fault: 'blocked' });
    expect(it.server.connections).toBe(0);
    expect(await it.ask('honest.test')).toMatchObject({ ok: true });
  });
});

describe('a name that cannot be resolved', () => {
  test('is a permanent failure when it does not exist or has no address', async () => {
    await using it = await scene((name) => (name === 'gone.test' ? 'unknown' : []), ['loopback']);
    for (const host of ['gone.test', 'empty.test'])
      expect(await it.ask(host)).toMatchObject({ fault: 'unreachable', retryable: false });
  });

  test('is a temporary failure when the name server fails or times out', async () => {
    const zone: Zone = (name) => (name === 'broken.test' ? 'broken' : 'silent');
    await using it = await scene(zone, ['loopback'], { resolveTimeoutMs: 200 });
    expect(await it.ask('broken.test')).toMatchObject({ fault: 'unreachable', retryable: true });
    const startedAt = performance.now();
    expect(await it.ask('silent.test')).toMatchObject({ fault: 'unreachable', retryable: true });
    expect(performance.now() - startedAt).toBeWithin(195, 20_000);
  });

  test('is abandoned when the caller aborts', async () => {
    await using it = await scene(() => 'silent', ['loopback']);
    const startedAt = performance.now();
    const outcome = await it.ask('silent.test', { signal: AbortSignal.timeout(50) });
    expect(outcome).toMatchObject({ fault: 'aborted', retryable: false });
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  test('is not awaited when the caller has already aborted', async () => {
    const never = () => new Promise<string[]>(() => {});
    const limits = { resolveTimeoutMs: 600_000 };
    const http = createGuardedHttp({ policy: createAddressPolicy([]), resolve: never, limits });
    const request = { url: 'http://silent.test/', method: 'GET', signal: AbortSignal.abort() } as const;
    expect(await http.request(request)).toMatchObject({ fault: 'aborted' });
  });

  test('gives the caller the same result as a closed port', async () => {
    await using it = await scene((name) => (name === 'broken.test' ? 'broken' : ['127.0.0.3']), ['loopback']);
    const publicPart = async (host: string) => {
      const { cause: _cause, ...rest } = { cause: undefined, ...(await it.ask(host)) };
      return rest;
    };
    expect(await publicPart('broken.test')).toEqual(await publicPart('closed.test'));
  });
});

test('the operating system resolves names when no resolver is given, and its result is checked too', async () => {
  await using server = await startRawServer(hi);
  const closed = createGuardedHttp({ policy: createAddressPolicy(['::1']) });
  const open = createGuardedHttp({ policy: createAddressPolicy(['loopback']) });
  const request = { url: `http://localhost:${server.port}/`, method: 'POST', body: '{}' } as const;
  // The name passes the URL check because ::1 is allowed; its IPv4 address is not.
  expect(await closed.request(request)).toMatchObject({ fault: 'blocked' });
  expect(server.connections).toBe(0);
  expect(await open.request(request)).toMatchObject({ ok: true });
  open.close();
});
