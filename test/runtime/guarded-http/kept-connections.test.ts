import { describe, expect, test } from 'bun:test';
import type { Socket } from 'node:net';

import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createGuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import type { GuardedHttpLimits } from '#runtime/guarded-http/limits.ts';

import { startRawServer, type Script } from './support/raw-server.ts';

const policy = createAddressPolicy(['loopback']);
const resolve = () => Promise.resolve(['127.0.0.1']);
const answer = (body: string, headers = '') =>
  `HTTP/1.1 200 OK\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;

/** A client, and a target that keeps connections open; `ask` returns the body or the fault. */
async function scene(script: Script, limits: Partial<GuardedHttpLimits> = {}) {
  const server = await startRawServer(script);
  const http = createGuardedHttp({ policy, resolve, limits: { answerTimeoutMs: 20_000, ...limits } });
  return {
    server,
    http,
    async ask(host = '127.0.0.1') {
      const url = `http://${host}:${server.port}/`;
      const outcome = await http.request({ url, method: 'POST', body: '{}' });
      // The connection returns to the pool one turn of the event loop after the response.
      await Bun.sleep(1);
      return outcome.ok ? Buffer.from(outcome.body).toString() : outcome.fault;
    },
    async [Symbol.asyncDispose]() {
      http.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const hi: Script = (socket) => socket.write(answer('hi'));

describe('a kept connection', () => {
  test('carries the next request to the same host, but not to another one at the same address', async () => {
    await using it = await scene(hi);
    for (let time = 0; time < 3; time += 1) await it.ask('one.test');
    await it.ask('two.test');
    await it.ask('127.0.0.1');
    expect(it.server.connections).toBe(3);
  });

  test('is closed after its idle time, or earlier if the target sets a shorter one', async () => {
    await using it = await scene(hi, { idleTimeoutMs: 1_000 });
    await it.ask();
    expect(it.server.open).toBe(1);
    expect(await it.server.untilOpen(0)).toBe(0);
    await using short = await scene((socket) => socket.write(answer('hi', 'Keep-Alive: timeout=1\r\n')));
    await short.ask();
    expect(await short.server.untilOpen(0)).toBe(0);
  });

  test('is not kept when the limits or the target forbid it', async () => {
    await using off = await scene(hi, { idleTimeoutMs: 0 });
    await using none = await scene(hi, { maxIdleConnections: 0 });
    await using close = await scene((socket) => socket.write(answer('hi', 'Connection: close\r\n')));
    for (const it of [off, none, close]) {
      expect([await it.ask(), await it.ask()]).toEqual(['hi', 'hi']);
      expect(it.server.connections).toBe(2);
      expect(await it.server.untilOpen(0)).toBe(0);
    }
  });

  test('counts towards a limit over all hosts', async () => {
    await using it = await scene(hi, { maxIdleConnections: 3 });
    await Promise.all(Array.from({ length: 10 }, (_, index) => it.ask(`host-${index}.test`)));
    expect(await it.server.untilOpen(3)).toBe(3);
    await Promise.all(Array.from({ length: 10 }, (_, index) => it.ask(`host-${index}.test`)));
    expect(await it.server.untilOpen(3)).toBe(3);
  });

  test('does not count towards the limit while it is in use', async () => {
    const gate = Promise.withResolvers<void>();
    let isSlow = false;
    const write = async (socket: Socket): Promise<void> => {
      if (isSlow) {
        isSlow = false;
        await gate.promise;
      }
      socket.write(answer('hi'));
    };
    await using it = await scene((socket) => void write(socket), { maxIdleConnections: 1 });
    await it.ask('one.test');
    isSlow = true;
    const slow = it.ask('one.test');
    await Bun.sleep(20);
    await it.ask('two.test');
    await it.ask('two.test');
    expect([it.server.connections, it.server.open]).toEqual([2, 2]);
    gate.resolve();
    await slow;
    expect(await it.server.untilOpen(1)).toBe(1);
  });

  test('frees its place when the target closes it', async () => {
    await using it = await scene(hi, { maxIdleConnections: 1 });
    await using leaving = await startRawServer((socket) => {
      socket.write(answer('hi'));
      setTimeout(() => socket.destroy(), 20);
    });
    await it.http.request({ url: leaving.url, method: 'GET' });
    expect([leaving.connections, await leaving.untilOpen(0)]).toEqual([1, 0]);
    await Bun.sleep(20); // The close takes a moment to reach the client.
    await it.ask();
    await it.ask();
    expect(it.server.connections).toBe(1);
  });

  test('is closed when the client is closed', async () => {
    await using it = await scene(hi);
    await it.ask();
    it.http.close();
    expect(await it.server.untilOpen(0)).toBe(0);
  });

  test('is dropped when the target sends surplus bytes, so that they are not read as the next response', async () => {
    const late: Script = (socket) => {
      socket.write(answer('hi'));
      setTimeout(() => socket.write(answer('no')), 15);
    };
    const atOnce: Script = (socket) => socket.write(answer('hi') + answer('no'));
    const garbage: Script = (socket) => socket.write(`${answer('hi')}x`);
    for (const [script, body] of [
      [late, 'hi'],
      [atOnce, 'hi'],
      [garbage, 'bad_response'],
    ] as const) {
      await using it = await scene(script);
      expect(await it.ask()).toBe(body);
      expect(await it.server.untilOpen(0)).toBe(0);
      expect(await it.ask()).toBe(body);
      expect(it.server.connections).toBe(2);
    }
  });
});

describe('a kept connection that the target has closed', () => {
  /** Responds to the first request on a connection and closes the connection on the second. */
  const onceEach = (drop: (socket: Socket) => void): Script => {
    const met = new Set<Socket>();
    return (socket) => {
      if (met.has(socket)) return drop(socket);
      met.add(socket);
      socket.write(answer('hi'));
    };
  };

  test('is replaced and the request is resent, as one request for the caller', async () => {
    for (const drop of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
      await using it = await scene(onceEach(drop));
      expect([await it.ask(), await it.ask(), await it.ask()]).toEqual(['hi', 'hi', 'hi']);
      expect(it.server.connections).toBe(3);
    }
  });

  test('takes a slot of its own for a resent request, so that every call is counted', async () => {
    let [requests, taken, freed] = [0, 0, 0];
    const drop = onceEach((socket) => socket.resetAndDestroy());
    await using it = await scene((socket, request) => {
      requests += 1;
      return drop(socket, request);
    });
    const takeSlot = async (): Promise<() => void> => {
      taken += 1;
      expect(taken - freed).toBe(1);
      return () => (freed += 1);
    };
    for (let request = 0; request < 3; request += 1) {
      await it.http.request({ url: it.server.url, method: 'POST', body: '{}', takeSlot });
      await Bun.sleep(1);
    }
    expect([requests, taken, freed]).toEqual([5, 5, 5]);
  });

  test('is replaced by a new connection, not by another kept one', async () => {
    await using it = await scene(onceEach((socket) => socket.resetAndDestroy()));
    await Promise.all(Array.from({ length: 5 }, () => it.ask()));
    expect(it.server.connections).toBe(5);
    expect(await it.ask()).toBe('hi');
    expect(it.server.connections).toBe(6);
  });

  test('is not replaced once a byte of the response has arrived', async () => {
    await using it = await scene(onceEach((socket) => socket.end('H')));
    expect([await it.ask(), await it.ask()]).toEqual(['hi', 'bad_response']);
    expect(it.server.connections).toBe(1);
  });

  test('is not replaced after an unreadable response, because the target may have acted on the request', async () => {
    const oversized = `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(20_000)}\r\n`;
    const unreadable: Script[] = [
      (socket) => socket.write(oversized),
      (socket) => socket.end(oversized),
      (socket) => socket.write('nonsense\r\n\r\n'),
      (socket) => socket.write('HTTP/1.1 200 OK\r\nno header\r\n\r\n'),
      (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nhi'),
      (socket) => socket.write('\n'.repeat(100_000)),
    ];
    for (const second of unreadable) {
      let requests = 0;
      const script: Script = (socket, request) => ((requests += 1) === 1 ? hi : second)(socket, request);
      // Endless empty lines are detected only by the timeout.
      await using it = await scene(script, { answerTimeoutMs: 1_500 });
      expect(await it.ask()).toBe('hi');
      expect(['bad_response', 'too_large', 'timeout']).toContain(await it.ask());
      expect([requests, it.server.connections]).toEqual([2, 1]);
    }
  });

  test('does not extend the response timeout', async () => {
    let requests = 0;
    const script: Script = (socket) => {
      requests += 1;
      if (requests === 1) socket.write(answer('hi'));
      if (requests === 2) setTimeout(() => socket.resetAndDestroy(), 1_000);
    };
    await using it = await scene(script, { answerTimeoutMs: 2_000 });
    expect(await it.ask()).toBe('hi');
    const startedAt = performance.now();
    expect(await it.ask()).toBe('timeout');
    expect(performance.now() - startedAt).toBeWithin(1_990, 2_950);
    expect(requests).toBe(3);
  });
});
