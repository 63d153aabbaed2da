/**
 * Thousands of forms of forbidden target, next to a listener that sees none of them: literal addresses in
 * every notation, names that mean loopback without a lookup, and names that resolve to internal addresses.
 */
import { expect, test } from 'bun:test';

import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createGuardedHttp } from '#runtime/guarded-http/guarded-request.ts';

import {
  isatapForms,
  mappedForms,
  numberOf,
  translatedForms,
  urlFormsOfIpv4,
} from './support/address-forms.ts';
import { startRawServer } from './support/raw-server.ts';

/** An address of every kind of IPv4 network that is not public, and the well-known ones inside them. */
const deniedIpv4 = [
  '0.0.0.0 10.0.0.1 100.100.100.200 127.0.0.1 168.63.129.16 169.254.169.254 169.254.170.2',
  '172.31.255.255 192.0.0.192 192.168.0.1 198.18.0.1 203.0.113.1 224.0.0.1 255.255.255.255',
].flatMap((line) => line.split(' '));

const deniedIpv6 = [
  ':: ::1 ::2 100::1 2001:db8::1 2002::1 3fff::1 4000::1 fc00::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1',
  'fe80::1%25lo fe80::1%lo',
].flatMap((line) => line.split(' '));

const carriedForms = (address: string): string[] =>
  [mappedForms, translatedForms, isatapForms].flatMap((forms) => forms(numberOf(address)));

const literalHosts = [
  ...deniedIpv4.flatMap((address) => urlFormsOfIpv4(numberOf(address))),
  ...[...deniedIpv6, ...deniedIpv4.flatMap(carriedForms)].map((form) => `[${form}]`),
];

const loopbackNames = 'LOCALHOST localhost. a.b.localhost. ｌｏｃａｌｈｏｓｔ loc%61lhost ⓛⓞⓒⓐⓛⓗⓞⓢⓣ'.split(
  ' ',
);

/** The parts around a host that make a reader take another host for it. */
const spellings = (host: string, port: number): string[] => [
  `http://example.com@${host}:${port}/`,
  `http://${host}:${port}\\@example.com/`,
  `http:/${host}:${port}/`,
  `ht\ttp://${host}:${port}/`,
  `http://${host}\t:${port}/`,
  `http://${host}:0${port}/`,
  `http://${host}:80:${port}/`,
  `gopher://${host}:${port}/_GET`,
  `//${host}:${port}/`,
];

test('no form of a forbidden target is called: each is rejected before a connection is made', async () => {
  await using canary = await startRawServer((socket) => void socket.end('HTTP/1.1 204 No\r\n\r\n'));
  const urlOf = (host: string): string => `http://${host}:${canary.port}/`;
  const answers = new Map(
    [...deniedIpv4, ...deniedIpv6, ...carriedForms('127.0.0.1'), '127.1', 'localhost', ''].flatMap(
      (address, index): [string, string[]][] => [
        [`inside-${index}.test`, [address]],
        [`mixed-${index}.test`, ['93.184.216.34', '2606:4700:4700::1111', address]],
      ],
    ),
  );
  const urls = new Set([
    ...[...literalHosts, ...loopbackNames, ...answers.keys()].map(urlOf),
    ...['127.0.0.1', '[::1]', 'localhost'].flatMap((host) => spellings(host, canary.port)),
  ]);
  expect(urls.size).toBeGreaterThan(3_000);

  const resolve = (host: string) => Promise.resolve(answers.get(host)!);
  const http = createGuardedHttp({ policy: createAddressPolicy([]), resolve });
  const wrong: unknown[] = [];
  for (const url of urls) {
    const outcome = await http.request({ url, method: 'POST', body: '{}' });
    if (outcome.ok || outcome.fault !== 'blocked') wrong.push([url, outcome]);
  }
  http.close();
  expect(wrong).toEqual([]);
  expect(canary.connections).toBe(0);
});
