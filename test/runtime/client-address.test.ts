import { describe, expect, test } from 'bun:test';
import {
  countedNetworks,
  createClientAddressReader,
  hashNetwork,
  isLoopbackAddress,
  networksOf,
  shareNetwork,
} from '#runtime/inbound-http/client-address.ts';

describe('the client address', () => {
  const trusting = createClientAddressReader(['10.0.0.0/8', 'fd00::/8']);
  const [proxy, client] = ['10.0.0.1', '203.0.113.9'];
  const long = `${'1.2.3.4, '.repeat(500)}${client}`;

  test.each([
    ['the peer itself when nothing is forwarded', proxy, null, proxy],
    ['the address that a trusted proxy reports', proxy, client, client],
    ['the address reported to the last of several trusted proxies', proxy, `${client}, 10.0.0.2`, client],
    ['not the address that an untrusted peer claims', '198.51.100.1', client, '198.51.100.1'],
    ['not the address that the client itself put in front', proxy, `1.2.3.4, ${client}`, client],
    ['not one of a list so long that its end might be cut off', proxy, long, client],
    ['without the port that some proxies add', proxy, `${client}:4711`, client],
    ['without the brackets of IPv6', proxy, '[2001:db8::7]:4711', '2001:db8::7'],
    ['the proxy when its value is not an address', proxy, 'unknown', proxy],
    ['IPv4 that a dual-stack socket shows as IPv6', `::ffff:${client}`, null, client],
    ['a trusted proxy that a dual-stack socket shows as IPv6', `::ffff:${proxy}`, client, client],
  ])('is %s', (_, peer, forwardedFor, expected) => {
    expect(trusting(peer, forwardedFor)).toBe(expected);
  });

  test('is the peer when no proxy is trusted', () => {
    expect(createClientAddressReader([])('10.0.0.1', '203.0.113.9')).toBe('10.0.0.1');
  });
});

describe('the networks of an address', () => {
  test.each([
    ['203.0.113.9', ['203.0.113.9']],
    ['::ffff:203.0.113.9', ['203.0.113.9']],
    ['2001:db8:1:2345:3:4:5:6', ['2001:db8:1:2345::/64', '2001:db8:1:2300::/56', '2001:db8:1::/48']],
    ['2001:db8:1:2::', ['2001:db8:1:2::/64', '2001:db8:1::/56', '2001:db8:1::/48']],
    ['not an address', ['not an address']],
  ])('%s are %p', (address, networks) => {
    expect(networksOf(address)).toEqual(networks);
  });

  test('are hashed from the widest on, and counted from the narrowest on with growing limits', () => {
    const counted = (address: string) => countedNetworks(hashNetwork('key', address));
    expect(counted('203.0.113.9').map(({ times }) => times)).toEqual([1]);
    const one = counted('2001:db8:1:2345::1');
    expect(one.map(({ times }) => times)).toEqual([1, 4, 16]);
    const shared = (other: string) =>
      counted(other).map(({ network }, index) => network === one[index]?.network);
    expect(shared('2001:db8:1:2345::2')).toEqual([true, true, true]);
    expect(shared('2001:db8:1:2346::1')).toEqual([false, true, true]);
    expect(shared('2001:db8:1:2445::1')).toEqual([false, false, true]);
    expect(shared('2001:db8:2:2345::1')).toEqual([false, false, false]);
    expect(hashNetwork('key', '2001:db8:1:2345::1')).not.toContain('2001');
  });

  test('count for at most four fair shares in a /56 and sixteen in a /48', () => {
    const shares = (addresses: readonly string[]) =>
      new Set(addresses.map((address) => shareNetwork(hashNetwork('key', address))));
    const subnets = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));
    expect(shares(subnets.map((subnet) => `2001:db8:1:23${subnet}::1`)).size).toBe(4);
    const blocks = subnets.slice(0, 16);
    expect(
      shares(blocks.flatMap((block) => blocks.map((subnet) => `2001:db8:1:${block}${subnet}::1`))).size,
    ).toBe(16);
    expect(shares(['2001:db8:1::1', '2001:db8:2::1', '203.0.113.1', '203.0.113.2']).size).toBe(4);
    expect(shareNetwork(hashNetwork('key', '203.0.113.1'))).toBe(hashNetwork('key', '203.0.113.1'));
  });
});

test.each([
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['10.0.0.1', false],
  ['', false],
  ['localhost', false],
])('whether %s is loopback: %p', (address, expected) => {
  expect(isLoopbackAddress(address)).toBe(expected);
});
