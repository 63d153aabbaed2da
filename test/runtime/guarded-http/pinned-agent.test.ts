import { expect, test } from 'bun:test';

import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { exchange } from '#runtime/guarded-http/exchange.ts';
import { defaultGuardedHttpLimits as limits } from '#runtime/guarded-http/limits.ts';
import { PinnedAgent } from '#runtime/guarded-http/pinned-agent.ts';
import { parseTargetUrl } from '#runtime/guarded-http/target-url.ts';

import { startRawServer } from './support/raw-server.ts';

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
  expect(await askAt('::ffff:127.0.0.1', server.url)).toMatchObject({
    ok: false,
    fault: 'unreachable',
    retryable: false,
  });
  expect([await server.untilOpen(0), server.received.length]).toEqual([0, length]);
});

test('a connection is never opened to a host name', async () => {
  await using server = await startRawServer();
  expect(await askAt('localhost', server.url)).toMatchObject({ ok: false, fault: 'unreachable' });
  expect(server.connections).toBe(0);
});
