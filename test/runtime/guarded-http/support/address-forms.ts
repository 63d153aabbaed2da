/**
 * Writes one IP address in the many forms that address parsers accept, for tests that must recognize all of
 * them.
 */

/** The four octets of a 32-bit number, most significant first. */
export function octetsOf(ipv4: number): [number, number, number, number] {
  return [ipv4 >>> 24, (ipv4 >>> 16) & 0xff, (ipv4 >>> 8) & 0xff, ipv4 & 0xff];
}

export function dotted(ipv4: number): string {
  return octetsOf(ipv4).join('.');
}

export function numberOf(dottedIpv4: string): number {
  return dottedIpv4.split('.').reduce((value, octet) => value * 256 + Number(octet), 0);
}

/**
 * Every host that a WHATWG URL parser reads as this IPv4 address: radix of each part, number of parts, look-alike
 * characters.
 */
export function urlFormsOfIpv4(ipv4: number): string[] {
  const [a, b, c, d] = octetsOf(ipv4);
  const partings = [[a, b, c, d], [a, b, c * 256 + d], [a, (b * 256 + c) * 256 + d], [ipv4]];
  const radixes = [
    (part: number) => String(part),
    (part: number) => `0${part.toString(8)}`,
    (part: number) => `0000${part.toString(8)}`,
    (part: number) => `0x${part.toString(16)}`,
    (part: number) => `0X${part.toString(16).toUpperCase().padStart(10, '0')}`,
  ];
  const plain = partings.flatMap((parts) => [
    ...radixes.map((write) => parts.map(write).join('.')),
    parts.map((part, index) => radixes[index % radixes.length]!(part)).join('.'),
    parts.map((part, index) => radixes[(index + 3) % radixes.length]!(part)).join('.'),
  ]);
  const disguises = [
    (text: string) => text,
    (text: string) => `${text}.`,
    (text: string) => text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    (text: string) => text.replace(/\d/g, (digit) => String.fromCodePoint(0x1d7d8 + Number(digit))),
    (text: string) => text.replaceAll('.', '。'),
    (text: string) => text.replaceAll('.', '．'),
    (text: string) => text.replaceAll('.', '%2e'),
    (text: string) => text.replace(/\d/g, (digit) => `%3${digit}`),
    (text: string) => text.replace(/^/, '\u00ad'),
  ];
  return [...new Set(plain.flatMap((text) => disguises.map((disguise) => disguise(text))))];
}

const group = (value: number) => value.toString(16);
const high = (ipv4: number) => group(ipv4 >>> 16);
const low = (ipv4: number) => group(ipv4 & 0xffff);

/** The mapped form (RFC 4291) in several spellings: the kernel treats it as the IPv4 address. */
export function mappedForms(ipv4: number): string[] {
  return [
    `::ffff:${dotted(ipv4)}`,
    `::FFFF:${high(ipv4)}:${low(ipv4)}`,
    `0:0:0:0:0:ffff:${high(ipv4)}:${low(ipv4)}`,
    `0000:0000:0000:0000:0000:ffff:${high(ipv4).padStart(4, '0')}:${low(ipv4).padStart(4, '0')}`,
    `0::0:ffff:${dotted(ipv4)}`,
  ];
}

/** Forms that a gateway, tunnel or translator forwards to the IPv4 address. */
export function translatedForms(ipv4: number): string[] {
  const [h, l] = [high(ipv4), low(ipv4)];
  const notH = group(~(ipv4 >>> 16) & 0xffff);
  const notL = group(~ipv4 & 0xffff);
  return [
    `::${dotted(ipv4)}`, // compatible
    `::ffff:0:${dotted(ipv4)}`, // stateless translation
    `64:ff9b::${dotted(ipv4)}`, // NAT64
    `64:ff9b:0:0:0:0:${h}:${l}`,
    `64:ff9b:1::${dotted(ipv4)}`, // NAT64 for local use, in two of its layouts
    `64:ff9b:1:${h}:${group((ipv4 >>> 8) & 0xff)}:${group((ipv4 & 0xff) << 8)}::`,
    `2002:${h}:${l}::1`, // 6to4
    `2001:0:${h}:${l}::1`, // Teredo server
    `2001:0:101:101:0:0:${notH}:${notL}`, // Teredo client
  ];
}

/** ISATAP (RFC 5214) hides IPv4 in the interface part of any prefix, a public one included. */
export function isatapForms(ipv4: number): string[] {
  return [`2606:4700::5efe:${dotted(ipv4)}`, `2606:4700:0:0:200:5efe:${high(ipv4)}:${low(ipv4)}`];
}
