import { describe, expect, test } from 'bun:test';
import {
  createClientAddressReader,
  isLoopbackAddress,
  networkOf,
} from '#runtime/inbound-http/client-address.ts';

describe('the client address', () => {
  const trusting = createClientAddressReader(['10.0.0.0/8', 'fd00::/8']);

  test.each([
    ['the peer itself when nothing is forwarded', '10.0.0.1', null, '10.0.0.1'],
    ['the address that a trusted proxy reports', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    [
      'the address reported to the last of several trusted proxies',
      '10.0.0.1',
      '203.0.113.9, 10.0.0.2',
      '203.0.113.9',
    ],
    ['not the address that an untrusted peer claims', '198.51.100.1', '203.0.113.9', '198.51.100.1'],
    [
      'not the address that the client itself put in front',
      '10.0.0.1',
      '1.2.3.4, 203.0.113.9',
      '203.0.113.9',
    ],
    ['without the port that some proxies add', '10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['without the brackets of IPv6', '10.0.0.1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['the proxy when its value is not an address', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['IPv4 that a dual-stack socket shows as IPv6', '::ffff:203.0.113.9', null, '203.0.113.9'],
    [
      'a trusted proxy that a dual-stack socket shows as IPv6',
      '::ffff:10.0.0.1',
      '203.0.113.9',
      '203.0.113.9',
    ],
  ])('is %s', (_, peer, forwardedFor, expected) => {
    expect(trusting(peer, forwardedFor)).toBe(expected);
  });

  test('is the peer when no proxy is trusted', () => {
    expect(createClientAddressReader([])('10.0.0.1', '203.0.113.9')).toBe('10.0.0.1');
  });

  test('is not changed by a list that a client makes so long that its end might be cut off', () => {
    const spoofed = Array.from({ length: 500 }, () => '1.2.3.4').join(', ');
    expect(trusting('10.0.0.1', `${spoofed}, 203.0.113.9`)).toBe('203.0.113.9');
  });
});

describe('the network of an address', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['not an address', 'not an address'],
  ])('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
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
