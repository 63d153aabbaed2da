import { describe, expect, test } from 'bun:test';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import {
  createGuardedHttp,
  type GuardedHttpOptions,
  type GuardedRequest,
} from '#runtime/guarded-http/guarded-request.ts';
import { startRawServer, type Script } from './support/raw-server.ts';
import { exchange } from '#runtime/guarded-http/exchange.ts';
import { defaultGuardedHttpLimits as limits } from '#runtime/guarded-http/limits.ts';
import { PinnedAgent } from '#runtime/guarded-http/pinned-agent.ts';
import { parseTargetUrl } from '#runtime/guarded-http/target-url.ts';
import { failureOf } from '#test/harness/failure-of.ts';
import { runProgram } from '#test/harness/run-program.ts';

const open = createAddressPolicy(['loopback']);
const strict = createAddressPolicy([]);
const hi: Script = (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi');

/** One request by a client of its own. */
async function ask(request: GuardedRequest, options: Partial<GuardedHttpOptions> = {}) {
  const http = createGuardedHttp({ policy: open, ...options });
  try {
    return await http.request(request);
  } finally {
    http.close();
  }
}

const hasIpv6 = await startRawServer(hi, '::1').then(
  async (server) => {
    await server[Symbol.asyncDispose]();
    return true;
  },
  () => false,
);

describe('a normal target', () => {
  const echo = async (request: Request) => new Response(await request.bytes());
  const startEcho = () => Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: echo });

  test('receives the request unchanged, and its whole response is returned', async () => {
    await using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const { pathname, search } = new URL(request.url);
        const headers = Object.fromEntries(request.headers);
        const seen = { method: request.method, path: pathname + search, body: await request.text(), headers };
        return Response.json(seen, { status: 201, headers: { 'x-own': 'ä' } });
      },
    });
    const outcome = await ask({
      url: `http://127.0.0.1:${server.port}/v1/run%20it?a=1&b=ü#part`,
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'job-1' },
      body: '{"prompt":"Grüße 😀"}',
    });
    if (!outcome.ok) throw outcome.cause;
    expect(outcome).toMatchObject({ status: 201, address: `127.0.0.1:${server.port}` });
    expect(outcome.headers['content-type']).toStartWith('application/json');
    expect(outcome.latencyMs).toBeWithin(0, 20_000);
    expect(JSON.parse(Buffer.from(outcome.body).toString())).toEqual({
      method: 'POST',
      path: '/v1/run%20it?a=1&b=%C3%BC',
      body: '{"prompt":"Grüße 😀"}',
      headers: {
        'accept-encoding': 'identity',
        connection: 'keep-alive',
        'content-length': String(Buffer.byteLength('{"prompt":"Grüße 😀"}')),
        'content-type': 'application/json',
        host: `127.0.0.1:${server.port}`,
        'idempotency-key': 'job-1',
        'user-agent': 'agent-hub',
      },
    });
  });

  test('receives a large binary body unchanged, and none with GET', async () => {
    await using server = startEcho();
    const body = crypto.getRandomValues(new Uint8Array(60_000));
    const echo = await ask({ url: server.url.href, method: 'POST', body });
    expect(echo.ok && Buffer.from(echo.body).equals(Buffer.from(body))).toBe(true);
    const empty = { ok: true, body: new Uint8Array(0) };
    expect(await ask({ url: server.url.href, method: 'GET' })).toMatchObject(empty);
  });

  test('is called many times concurrently, and each caller gets its own response', async () => {
    await using server = startEcho();
    const http = createGuardedHttp({ policy: open });
    const bodies = Array.from({ length: 300 }, (_, index) => `call ${index}`);
    const outcomes = await Promise.all(
      bodies.map((body) => http.request({ url: server.url.href, method: 'POST', body })),
    );
    http.close();
    expect(outcomes.map((outcome) => outcome.ok && Buffer.from(outcome.body).toString())).toEqual(bodies);
  });

  test.skipIf(!hasIpv6)('may be an IPv6 address', async () => {
    await using server = await startRawServer(hi, '::1');
    const outcome = await ask({ url: server.url, method: 'GET' });
    expect(outcome).toMatchObject({ ok: true, address: `[::1]:${server.port}` });
    expect(server.received).toContain(`\r\nhost: [::1]:${server.port}\r\n`);
  });
});

describe('headers', () => {
  const refused: readonly (readonly [string, Record<string, string>])[] = [
    ['a line end in a value', { 'x-id': 'a\r\nX-Evil: 1' }],
    ['a line feed in a value', { 'x-id': 'a\nX-Evil: 1' }],
    ['NUL in a value', { 'x-id': 'a\0b' }],
    ['a character beyond one byte', { 'x-id': 'a\u010d\u010a' }],
    ['a line end in a name', { 'x-id\r\nx-evil': '1' }],
    ['a space in a name', { 'x id': '1' }],
    ['a colon in a name', { 'x-id:': '1' }],
    ['an empty name', { '': '1' }],
    ...'Host Content-Length Transfer-Encoding Connection Accept-Encoding Upgrade Expect TE Keep-Alive Trailer'
      .split(' ')
      .map((name) => [`the name ${name}`, { [name]: '1' }] as const),
  ];
  test.each(refused)('with %s are a programming error: nothing is sent', async (_name, headers) => {
    await using server = await startRawServer(hi);
    const attempt = ask({ url: server.url, method: 'POST', headers, body: '{}' });
    expect(await failureOf(attempt)).toBeInstanceOf(TypeError);
    expect(server.connections).toBe(0);
  });

  test('may set another user agent', async () => {
    await using server = await startRawServer(hi);
    await ask({ url: server.url, method: 'GET', headers: { 'User-Agent': 'mine/1' } });
    expect(server.received.match(/^user-agent: .*$/gim)).toEqual(['user-agent: mine/1']);
  });

  test('cannot be injected through the URL', async () => {
    await using server = await startRawServer(hi);
    const encoded = '%0d%0aX-Evil:%201%0d%0a%0d%0aGET%20/second%20HTTP/1.1';
    for (const path of [`${encoded}?q=${encoded}`, 'a b\u2028č\ud800?č \u{1f600}'])
      expect(await ask({ url: server.url + path, method: 'GET' })).toMatchObject({ ok: true });
    expect(server.received).not.toMatch(/^x-evil/im);
    expect(server.received.match(/HTTP\/1\.1\r\n/g)).toHaveLength(2);
    expect(server.received).toMatch(/^[\r\n\x20-\x7e]*$/);
  });
});

describe('the slot', () => {
  test('is acquired for the checked address after the lookup and before connecting, and released once', async () => {
    await using server = await startRawServer((socket) => {
      log.push('called');
      hi(socket, '');
    });
    const log: string[] = [];
    const resolve = (name: string) => {
      log.push(`looked up ${name}`);
      return Promise.resolve(['127.0.0.1']);
    };
    const takeSlot = (address: string) => {
      log.push(`took ${address}, ${server.connections} connections`);
      return Promise.resolve(() => void log.push('gave back'));
    };
    const request = { url: `http://target.test:${server.port}/`, method: 'GET', takeSlot } as const;
    expect(await ask(request, { resolve })).toMatchObject({ ok: true });
    expect(log).toEqual([
      'looked up target.test',
      `took 127.0.0.1:${server.port}, 0 connections`,
      'called',
      'gave back',
    ]);
  });

  test('is not acquired for a target that is not allowed', async () => {
    const takeSlot = () => Promise.reject(new Error('A slot was asked for.'));
    const outcome = await ask({ url: 'http://127.0.0.1/', method: 'GET', takeSlot }, { policy: strict });
    expect(outcome).toMatchObject({ fault: 'blocked', retryable: false });
  });

  test('is released after every kind of failure', async () => {
    await using garbage = await startRawServer((socket) => socket.write('garbage\r\n\r\n'));
    await using silent = await startRawServer();
    const closed = await startRawServer();
    await closed[Symbol.asyncDispose]();
    let taken = 0;
    const takeSlot = () => {
      taken += 1;
      return Promise.resolve(() => void (taken -= 1));
    };
    const faults: unknown[] = [];
    for (const { url } of [garbage, silent, closed]) {
      const outcome = await ask({ url, method: 'GET', takeSlot }, { limits: { answerTimeoutMs: 500 } });
      faults.push(outcome.ok || outcome.fault, taken);
    }
    expect(faults).toEqual(['bad_response', 0, 'timeout', 0, 'unreachable', 0]);
  });

  test('is awaited outside the timeouts, and a caller that ends the wait gets an abort', async () => {
    await using server = await startRawServer(hi);
    const limits = { answerTimeoutMs: 1_000, connectTimeoutMs: 1_000 };
    const takeSlot = () => Bun.sleep(1_250).then(() => () => {});
    const outcome = await ask({ url: server.url, method: 'GET', takeSlot }, { limits });
    expect(outcome).toMatchObject({ ok: true });
    expect(outcome.ok && outcome.latencyMs).toBeLessThan(1_240);

    const signal = AbortSignal.timeout(20);
    const never = (_address: string, given: AbortSignal | undefined) =>
      new Promise<() => void>((_, reject) =>
        given?.addEventListener('abort', () => reject(new Error('Given up.'))),
      );
    const given = { url: server.url, method: 'GET' } as const;
    expect(await ask({ ...given, takeSlot: never, signal })).toMatchObject({ fault: 'aborted' });
    const broken = ask({ ...given, takeSlot: () => Promise.reject(new Error('No Redis.')) });
    await expect(broken).rejects.toThrow('No Redis.');
  });
});

describe('the caller aborts', () => {
  // Only the caller may end a connection here.
  const limits = { connectTimeoutMs: 60_000 };
  const abort = (url: string, signal: AbortSignal) => ask({ url, method: 'GET', signal }, { limits });

  test('before the request: nothing is sent', async () => {
    await using server = await startRawServer(hi);
    expect(await abort(server.url, AbortSignal.abort())).toMatchObject({ fault: 'aborted' });
    expect(server.connections).toBe(0);
  });

  test('while connecting: the connection is closed', async () => {
    await using server = await startRawServer();
    const outcome = await abort(server.url.replace('http:', 'https:'), AbortSignal.timeout(1_000));
    expect(outcome).toMatchObject({ ok: false, fault: 'aborted', retryable: false });
    expect([server.connections, await server.untilOpen(0)]).toEqual([1, 0]);
  });

  test('while waiting for the response, or in the middle of it: the connection is closed', async () => {
    for (const start of ['', 'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhi']) {
      await using server = await startRawServer((socket) => socket.write(start));
      const outcome = await abort(server.url, AbortSignal.timeout(40));
      expect(outcome).toMatchObject({ ok: false, fault: 'aborted', retryable: false });
      expect([server.connections, await server.untilOpen(0)]).toEqual([1, 0]);
    }
  });
});

test('proxy variables in the environment are ignored', async () => {
  await using canary = await startRawServer(hi);
  await using target = await startRawServer(hi);
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  const proxies = Object.fromEntries([...names, 'npm_config_proxy'].map((name) => [name, canary.url]));
  const env = { ...process.env, ...proxies, NO_PROXY: '', no_proxy: '', NODE_USE_ENV_PROXY: '1' };
  const script = `
    import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
    import { createGuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
    const http = createGuardedHttp({ policy: createAddressPolicy(['loopback']) });
    const outcome = await http.request({ url: '${target.url}', method: 'POST', body: '{}' });
    console.log(outcome.ok ? outcome.address : outcome.fault);`;
  const ended = await runProgram([process.execPath, '-e', script], { env });
  expect(ended).toMatchObject({ exitCode: 0, printed: `127.0.0.1:${target.port}\n` });
  expect([canary.connections, target.connections]).toEqual([0, 1]);
});

/** Requests `url` over a connection to `address`, without the address check. */
async function askAt(address: string, url: string) {
  const parsed = parseTargetUrl(url, createAddressPolicy(['loopback']));
  if (!parsed.ok) throw new Error(parsed.message);
  const agent = new PinnedAgent(limits, undefined);
  const pin = { target: parsed.target, address, connectTimeoutMs: 10_000, socket: null };
  const rest = { method: 'POST', headers: {}, body: Buffer.from('secret'), signal: undefined };
  const outcome = await exchange({ agent, pin, limits, ...rest });
  agent.destroy();
  return outcome;
}

test('a connection to an address other than the pinned one is sent nothing', async () => {
  await using server = await startRawServer((socket) =>
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
  );
  expect(await askAt('127.0.0.1', server.url)).toMatchObject({ ok: true });
  const { length } = server.received;
  // The kernel connects the mapped form to the IPv4 address, which differs from the pinned one.
  const unreachable = { ok: false, fault: 'unreachable', retryable: false };
  expect(await askAt('::ffff:127.0.0.1', server.url)).toMatchObject(unreachable);
  expect([await server.untilOpen(0), server.received.length]).toEqual([0, length]);
});

test('a connection is never opened to a host name', async () => {
  await using server = await startRawServer();
  expect(await askAt('localhost', server.url)).toMatchObject({ ok: false, fault: 'unreachable' });
  expect(server.connections).toBe(0);
});
