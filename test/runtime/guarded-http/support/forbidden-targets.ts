/**
 * The targets that attackers use to reach the hub's own network, grouped by family. Each is a URL with the
 * port of a listener that must see nothing, and for a host name also what the name resolves to.
 */
import {
  dotted,
  isatapForms,
  mappedForms,
  numberOf,
  translatedForms,
  urlFormsOfIpv4,
} from './address-forms.ts';

export interface ForbiddenTarget {
  readonly family: string;
  readonly url: string;
  /** What the name resolves to, one list per lookup. Literal addresses have none. */
  readonly answers?: readonly (readonly string[])[];
}

/** One address of every IPv4 block that is not public unicast, and well-known addresses inside them. */
export const deniedIpv4: readonly string[] = [
  '0.0.0.0',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.31.196.1',
  '192.52.193.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.255.255',
  '192.175.48.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
];

/** The same for IPv6. */
export const deniedIpv6: readonly string[] = [
  '::',
  '::1',
  '::2',
  '64:ff9b::1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002::1',
  '2620:4f:8000::1',
  '3ffe::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::a9fe:a9fe',
  'fec0::1',
  'ff02::1',
  'ff05::2',
];

const publicAddresses = ['93.184.216.34', '2606:4700:4700::1111'];

export function forbiddenTargets(port: number): readonly ForbiddenTarget[] {
  const literals = [...numberForms(port), ...carriedForms(port), ...ipv6Forms(port), ...spellings(port)];
  const all = [...literals, ...names(port)];
  return [...new Map(all.map((target) => [target.url, target])).values()];
}

/** All forms of loopback, and for every other block the forms that address filters miss most often. */
function numberForms(port: number): ForbiddenTarget[] {
  const written = (address: string): readonly string[] => {
    const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
    const number = numberOf(address);
    return [
      address,
      `${number}`,
      `0${number.toString(8)}`,
      `0x${number.toString(16)}`,
      [a, b, c, d].map((part) => `0${part.toString(8)}`).join('.'),
      [a, b, c, d].map((part) => `0x${part.toString(16)}`).join('.'),
      `${a}.${b}.${c * 256 + d}`,
      `${a}.0x${((b * 256 + c) * 256 + d).toString(16)}`,
      `0x${a.toString(16)}.0${b.toString(8)}.${c}.${d}`,
      `${address}.`,
      address.replaceAll('.', '。'),
      address.replaceAll('.', '%2E'),
      address.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
      address.replace(/\d/g, (digit) => `%3${digit}`),
    ];
  };
  return [...deniedIpv4.flatMap(written), ...urlFormsOfIpv4(numberOf('127.0.0.1'))].map((host) => ({
    family: 'IPv4 in numbers',
    url: `http://${host}:${port}/`,
  }));
}

function carriedForms(port: number): ForbiddenTarget[] {
  const inside = (family: string, forms: (ipv4: number) => readonly string[]): ForbiddenTarget[] =>
    deniedIpv4.flatMap((address) =>
      forms(numberOf(address)).map((form) => ({ family, url: `http://[${form}]:${port}/` })),
    );
  return [
    ...inside('IPv4 mapped into IPv6', mappedForms),
    ...inside('IPv4 translated or tunnelled', translatedForms),
    ...inside('IPv4 in ISATAP', isatapForms),
  ];
}

function ipv6Forms(port: number): ForbiddenTarget[] {
  const zones = ['%25lo', '%25eth0', '%251', '%lo', '%1'];
  const hosts = deniedIpv6.flatMap((address) => [
    address,
    address.toUpperCase(),
    address.replace('::', ':0::'),
    ...zones.map((zone) => address + zone),
  ]);
  return hosts.map((host) => ({ family: 'IPv6', url: `http://[${host}]:${port}/` }));
}

/**
 * The parts around the host: user names, ports, slashes, schemes, and names that mean loopback without a
 * lookup.
 */
function spellings(port: number): ForbiddenTarget[] {
  const hosts = ['127.0.0.1', '[::1]', '0x7f.1', 'localhost', '[::ffff:7f00:1]'];
  const around = (host: string): readonly string[] => [
    `http://example.com@${host}:${port}/`,
    `http://example.com:80@${host}:${port}/`,
    `http://example.com%2f@${host}:${port}/`,
    `http://example.com%00@${host}:${port}/`,
    `http://@${host}:${port}/`,
    `http://:@${host}:${port}/`,
    `http://${host}:${port}#@example.com/`,
    `http://${host}:${port}?@example.com/`,
    `http://${host}:${port}\\@example.com/`,
    `http:${host}:${port}/`,
    `http:/${host}:${port}/`,
    `http:///${host}:${port}/`,
    `http:\\\\${host}:${port}\\`,
    `HTTP://${host}:${port}/`,
    `  http://${host}:${port}/  `,
    `ht\ttp://${host}:${port}/`,
    `http://${host}\t:${port}/`,
    `http://${host}:${port}\r\nHost: example.com/`,
    `http://${host}:0${port}/`,
    `http://${host}:80:${port}/`,
    `http://${host}/`,
    `https://${host}:${port}/`,
    `ws://${host}:${port}/`,
    `ftp://${host}:${port}/`,
    `gopher://${host}:${port}/_GET`,
    `//${host}:${port}/`,
    `${host}:${port}`,
  ];
  const loopbackNames = [
    'LOCALHOST',
    'localhost.',
    'api.localhost',
    'a.b.localhost.',
    'ｌｏｃａｌｈｏｓｔ',
    'local\u00adhost',
    'loc%61lhost',
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  ];
  return [
    ...hosts.flatMap(around).map((url) => ({ family: 'around the host', url })),
    ...loopbackNames.map((host) => ({ family: 'names of loopback', url: `http://${host}:${port}/` })),
  ];
}

/**
 * Names that resolve to internal addresses: only to them, mixed with public ones, or from the second lookup
 * on.
 */
function names(port: number): ForbiddenTarget[] {
  const denied = [
    ...deniedIpv4,
    ...deniedIpv6,
    ...deniedIpv4.map((address) => `::ffff:${address}`),
    ...['127.0.0.1', '10.0.0.1', '169.254.169.254'].flatMap((address) => [
      ...mappedForms(numberOf(address)),
      ...translatedForms(numberOf(address)),
    ]),
    'fe80::1%lo',
    '127.1',
    '0x7f000001',
    'localhost',
    '',
  ];
  const target = (family: string, index: number, answers: readonly (readonly string[])[]) => ({
    family,
    url: `http://${family.replaceAll(' ', '-')}-${index}.test:${port}/`,
    answers,
  });
  return denied.flatMap((address, index) => [
    target('name of the inside', index, [[address]]),
    target('name of both sides', index, [[...publicAddresses, address]]),
    target('name that starts inside', index, [[address, ...publicAddresses]]),
  ]);
}

/** Statuses and headers with which a normal target would redirect a caller to `location`. */
export function redirectsTo(location: string): readonly string[] {
  const statuses = [
    '300 Choices',
    '301 Moved',
    '302 Found',
    '303 Other',
    '305 Proxy',
    '307 Temporary',
    '308 Permanent',
  ];
  const answer = (status: string, header: string): string =>
    `HTTP/1.1 ${status}\r\n${header}: ${location}\r\nContent-Length: 0\r\n\r\n`;
  return [
    ...statuses.map((status) => answer(status, 'Location')),
    answer('200 OK', 'Refresh: 0; url'),
    answer('200 OK', 'Content-Location'),
    answer('201 Created', 'Location'),
    answer('401 Unauthorized', 'Location'),
    answer('503 Away', 'Alt-Svc'),
  ];
}

/** Fifty legitimate targets: each address as written and as it must be called. */
export function honestLiterals(): readonly { readonly host: string; readonly address: string }[] {
  const ipv4 = numberOf('93.184.216.34');
  const forms = urlFormsOfIpv4(ipv4).filter((_, index) => index % 8 === 0);
  return [
    ...forms.slice(0, 25).map((host) => ({ host, address: dotted(ipv4) })),
    ...'1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 172.15.255.255 172.32.0.0 223.255.255.255'
      .split(' ')
      .map((host) => ({ host, address: host })),
    ...['2606:4700:4700::1111', '2001:4860:4860::8888', '2a00:1450:4001:82a::200e', '2c0f:fb50::1'].map(
      (address) => ({ host: `[${address}]`, address }),
    ),
    { host: '[::ffff:8.8.8.8]', address: '8.8.8.8' },
  ];
}
