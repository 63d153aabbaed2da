/** Every name of this machine is one; no other name is ever taken from a request. */
import { describe, expect, test } from 'bun:test';
import { withOneLoopbackName } from '#runtime/inbound-http/host-names.ts';
import { askedBaseUrl } from '#api/request/input.ts';

const asked = (baseUrl: string, host?: string): string =>
  askedBaseUrl(baseUrl, { headers: new Headers(host === undefined ? {} : { host }) });

describe('the address of a hub on this machine', () => {
  test.each([
    ['http://127.0.0.1:3000', 'localhost:3000', 'http://localhost:3000'],
    ['http://127.0.0.1:3000', '[::1]:3000', 'http://[::1]:3000'],
    ['http://localhost:3000', '127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000', 'LocalHost:3000', 'http://localhost:3000'],
    ['http://localhost:3000', 'hub.localhost:3000', 'http://hub.localhost:3000'],
    ['http://127.0.0.1', 'localhost', 'http://localhost'],
    ['http://127.0.0.1', 'localhost:80', 'http://localhost'],
    ['https://localhost:8443', '127.0.0.1:8443', 'https://127.0.0.1:8443'],
    ['http://127.0.0.1:3000/hub', 'localhost:3000', 'http://localhost:3000/hub'],
  ])('%s has the name that was asked for: %s', (baseUrl, host, wanted) => {
    expect(asked(baseUrl, host)).toBe(wanted);
  });

  test.each([
    ['http://127.0.0.1:3000', 'evil.example:3000'],
    ['http://127.0.0.1:3000', 'localhost.evil.example:3000'],
    ['http://127.0.0.1:3000', '127.0.0.1.evil.example:3000'],
    ['http://127.0.0.1:3000', 'evillocalhost:3000'],
    ['http://127.0.0.1:3000', 'localhost:3001'],
    ['http://127.0.0.1:3000', 'localhost'],
    ['http://127.0.0.1:3000', 'localhost:'],
    ['http://127.0.0.1:3000', 'localhost:3000@evil.example'],
    ['http://127.0.0.1:3000', 'localhost:3000/evil'],
    ['http://127.0.0.1:3000', 'localhost:3000, localhost:3000'],
    ['http://127.0.0.1:3000', ''],
    ['http://127.0.0.1:3000', undefined],
    ['https://hub.example', 'localhost'],
    ['https://hub.example', 'localhost:443'],
    ['http://192.0.2.1:3000', '127.0.0.1:3000'],
  ])('%s stays as it is when %s is asked for', (baseUrl, host) => {
    expect(asked(baseUrl, host)).toBe(baseUrl);
  });
});

test('URLs of one place on this machine are one', () => {
  const all = ['http://localhost:3000/mcp', 'http://127.0.0.1:3000/mcp', 'http://[::1]:3000/mcp'];
  expect(new Set(all.map(withOneLoopbackName)).size).toBe(1);
  for (const other of [
    'http://localhost:3001/mcp',
    'https://localhost:3000/mcp',
    'http://localhost:3000/mcp/me',
    'http://localhost.evil.example:3000/mcp',
    'http://localhost:3000@evil.example/mcp',
    'http://x@localhost:3000/mcp',
    'localhost:3000/mcp',
  ])
    expect([other, withOneLoopbackName(other) === withOneLoopbackName(all[0]!)]).toEqual([other, false]);
});
