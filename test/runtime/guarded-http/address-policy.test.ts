import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';

import { createAddressPolicy, normalizeAddress } from '#runtime/guarded-http/address-policy.ts';

import { dotted, isatapForms, mappedForms, numberOf, translatedForms } from './support/address-forms.ts';

const strict = createAddressPolicy([]);

/** Repeats the blocks as first and last address, so that a mistake in the policy's own table shows. */
const reservedIpv4: readonly (readonly [string, string])[] = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['168.63.129.16', '168.63.129.16'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.31.196.0', '192.31.196.255'],
  ['192.52.193.0', '192.52.193.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['192.175.48.0', '192.175.48.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '255.255.255.255'],
];
const reservedRanges = reservedIpv4.map(([first, last]) => [numberOf(first), numberOf(last)] as const);
const isReserved = (ipv4: number) => reservedRanges.some(([first, last]) => ipv4 >= first && ipv4 <= last);

const anyIpv4 = fc.integer({ min: 0, max: 0xffffffff });
const reserved = fc
  .constantFrom(...reservedRanges)
  .chain(([first, last]) => fc.oneof(fc.constantFrom(first, last), fc.integer({ min: first, max: last })));
const publicIpv4 = anyIpv4.filter((ipv4) => !isReserved(ipv4));

const word = fc.integer({ min: 0, max: 0xffff });
const ipv6 = (...start: number[]) =>
  fc
    .array(word, { minLength: 8 - start.length, maxLength: 8 - start.length })
    .map((rest) => [...start, ...rest].map((part) => part.toString(16)).join(':'));

describe('the address policy without exceptions', () => {
  test('permits the edges of every public IPv4 block and denies the edges of every reserved one', () => {
    for (const [first, last] of reservedRanges) {
      expect([dotted(first), strict.permits(dotted(first))]).toEqual([dotted(first), false]);
      expect([dotted(last), strict.permits(dotted(last))]).toEqual([dotted(last), false]);
      for (const neighbour of [first - 1, last + 1]) {
        if (neighbour < 0 || neighbour > 0xffffffff || isReserved(neighbour)) continue;
        expect([dotted(neighbour), strict.permits(dotted(neighbour))]).toEqual([dotted(neighbour), true]);
      }
    }
  });

  test('denies every reserved IPv4 address in every form', () => {
    fc.assert(
      fc.property(reserved, (ipv4) => {
        const forms = [dotted(ipv4), ...mappedForms(ipv4), ...translatedForms(ipv4), ...isatapForms(ipv4)];
        expect(forms.filter((form) => strict.permits(form))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('permits every other IPv4 address in plain and mapped form, but not translated or tunnelled', () => {
    fc.assert(
      fc.property(publicIpv4, (ipv4) => {
        const forms = [dotted(ipv4), ...mappedForms(ipv4)];
        expect([...forms, ...translatedForms(ipv4)].filter((form) => strict.permits(form))).toEqual(forms);
      }),
      { numRuns: 500 },
    );
  });

  test('denies all IPv6 outside 2000::/3 except mapped IPv4, and the reserved blocks inside', () => {
    const outside = word
      .filter((first) => first >> 13 !== 1)
      .chain((first) => ipv6(first))
      .filter((address) => !address.startsWith('0:0:0:0:0:ffff:'));
    const inside = fc.oneof(
      fc.integer({ min: 0, max: 0x1ff }).chain((second) => ipv6(0x2001, second)),
      ipv6(0x2001, 0xdb8),
      ipv6(0x2002),
      ipv6(0x2620, 0x4f, 0x8000),
      ipv6(0x3ffe),
      fc.integer({ min: 0, max: 0xfff }).chain((second) => ipv6(0x3fff, second)),
    );
    for (const denied of [outside, inside])
      fc.assert(
        fc.property(denied, (address) => !strict.permits(address)),
        { numRuns: 300 },
      );
  });

  test('denies anything but the plain text of one address, even if the address is public', () => {
    const texts = [
      '',
      ' ',
      ' 1.1.1.1',
      '1.1.1.1 ',
      '1.1.1.1\n',
      '\u0000',
      ...'1.1.1 1.1.1.1. 1.1.1.1/32 1.1.1.1:80 01.1.1.1 0x1.1.1.1 16843009 1.1.257 １.1.1.1'.split(' '),
      ...'1。1。1。1 1.1.1.256 1.1.1.1.1 2606:4700::1%eth0 2606:4700::1%0 [2606:4700::1]'.split(' '),
      ...'2606:4700::1:: 2606:4700:::1 2606:4700::12345 ::ffff:01.1.1.1 ::ffff:1.1.1'.split(' '),
      ...'2606:4700::1/128 2606:4700:0:0:0:0:0:0:1 example.com localhost'.split(' '),
    ];
    expect(texts.filter((text) => strict.permits(text))).toEqual([]);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(strict.permits(text)).toBe(
          normalizeAddress(text) !== null && strict.permits(normalizeAddress(text)!),
        );
      }),
    );
  });
});

describe('the address policy with allowed blocks', () => {
  test.each([
    [
      'the word loopback',
      [' loopback '],
      '127.0.0.1 127.255.255.255 ::1 0:0:0:0:0:0:0:1 ::ffff:127.0.0.1 1.1.1.1',
      '0.0.0.0 :: 10.0.0.1 ::2 ::127.0.0.1 64:ff9b::127.0.0.1 2002:7f00:1::1',
    ],
    ['a single address', ['\t10.1.2.3 '], '10.1.2.3', '10.1.2.4'],
    ['an IPv6 block', ['fd00:1::/32'], 'fd00:1:ffff::1', 'fd00:2::1'],
    ['a NAT64 prefix', ['64:ff9b::/96'], '64:ff9b::8.8.8.8', '64:ff9b::10.0.0.1'],
    ['NAT64 beside a block', ['64:ff9b::/96', '10.0.0.0/8'], '64:ff9b::10.0.0.1', '64:ff9b::127.0.0.1'],
  ])('%s allows what it names, and nothing else that is reserved', (_, entries, allowed, denied) => {
    const policy = createAddressPolicy(entries);
    const addresses = `${allowed} ${denied}`.split(' ');
    expect(addresses.filter((address) => policy.permits(address))).toEqual(allowed.split(' '));
  });

  test('an IPv4 block allows exactly its own addresses, in plain and mapped form', () => {
    const block = fc.tuple(reserved, fc.integer({ min: 1, max: 32 })).map(([ipv4, length]) => {
      const size = 2 ** (32 - length);
      const first = Math.floor(ipv4 / size) * size;
      return { cidr: `${dotted(first)}/${length}`, first, last: first + size - 1 };
    });
    fc.assert(
      fc.property(block, reserved, ({ cidr, first, last }, other) => {
        const policy = createAddressPolicy([cidr]);
        for (const ipv4 of [first, last]) {
          expect([dotted(ipv4), ...mappedForms(ipv4)].every((form) => policy.permits(form))).toBe(true);
          expect(translatedForms(ipv4).some((form) => policy.permits(form))).toBe(false);
        }
        expect(policy.permits(dotted(other))).toBe(other >= first && other <= last);
      }),
      { numRuns: 200 },
    );
  });

  test('one error names every invalid entry', () => {
    const wrong = [
      '',
      ...'10.0.0.1/8 10.0.0.0/33 fd00::/129 ::ffff:10.0.0.0/104 ::ffff:10.0.0.0/8 example.com'.split(' '),
      ...'10.0.0.0/ 10.0.0.0/8/8 10.0.0.0/+8 10.0.0.0/0x8 0x7f.1/8 Loopback'.split(' '),
    ];
    const attempt = () => createAddressPolicy(['loopback', '10.0.0.0/8', ...wrong]);
    expect(attempt).toThrow(TypeError);
    for (const entry of wrong) {
      expect(attempt).toThrow(`"${entry}"`);
      expect(() => createAddressPolicy([entry])).toThrow(`"${entry}"`);
    }
    expect(attempt).toThrow('write 10.0.0.0/8');
    expect(attempt).not.toThrow('"loopback"');
  });
});

describe('the normal form of an address', () => {
  test('is the same for all spellings of an address', () => {
    expect(mappedForms(numberOf('127.0.0.1')).map(normalizeAddress)).toEqual(
      Array.from({ length: 5 }, () => '127.0.0.1'),
    );
    const spellings = ['2606:4700:0:0:0:0:0:1', '2606:4700::1', '2606:4700::0001', '2606:4700:0:0::0.0.0.1'];
    expect(new Set(spellings.map(normalizeAddress))).toEqual(new Set(['2606:4700::1']));
  });

  test('parses to the same address', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const normal = normalizeAddress(text)!;
        expect(normalizeAddress(normal)).toBe(normal);
        expect(strict.permits(normal)).toBe(strict.permits(text));
      }),
    );
  });
});
