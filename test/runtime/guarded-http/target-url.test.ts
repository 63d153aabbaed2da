import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { maxTargetUrlLength } from '#runtime/guarded-http/limits.ts';
import { parseTargetUrl } from '#runtime/guarded-http/target-url.ts';
import { dotted, urlFormsOfIpv4 } from './support/address-forms.ts';

const strict = createAddressPolicy([]);
const open = createAddressPolicy(['loopback']);

/** The outcome for each text, so that a failure shows the text that caused it. */
const verdicts = (texts: readonly string[], policy = strict) =>
  texts.map((text) => {
    const result = parseTargetUrl(text, policy);
    return { text, verdict: result.ok ? 'accepted' : result.fault };
  });

describe('a URL with a denied literal address', () => {
  test.each([
    '  http://127.0.0.1/  ',
    ...'HtTp://127.0.0.1 http://127.0.0.1:80/ http://127.0.0.1#@example.com/'.split(' '),
    ...'http://127.0.0.1?@example.com/ http://127.0.0.1\\@example.com/ https://[::]/'.split(' '),
    ...'https://[::1]/ http://[0000::1]/ http://[fe80::1]/ http://[fd00:ec2::254]/latest/'.split(' '),
    ...'http://localhost/ http://LOCALHOST:6379/ http://localhost./ http://api.localhost/'.split(' '),
    ...'http://ｌｏｃａｌｈｏｓｔ/ http://local\u00adhost/'.split(' '),
  ])('is blocked: %j', (text) => {
    expect(verdicts([text])).toEqual([{ text, verdict: 'blocked_address' }]);
  });

  test('is accepted when the policy allows the address', () => {
    const texts = 'http://localhost:3000/ http://2130706433/ http://[::1]/ http://[::ffff:127.0.0.1]/'.split(
      ' ',
    );
    expect(verdicts(texts, open)).toEqual(texts.map((text) => ({ text, verdict: 'accepted' as const })));
  });
});

describe('a URL with a public host', () => {
  test('is accepted in every spelling of a public address and resolves to that address', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 0xffffffff }).filter((ipv4) => strict.permits(dotted(ipv4))),
        (ipv4) => {
          for (const form of urlFormsOfIpv4(ipv4)) {
            const result = parseTargetUrl(`https://${form}/`, strict);
            expect([form, result.ok && result.target.literalAddress]).toEqual([form, dotted(ipv4)]);
          }
        },
      ),
      { numRuns: 5 },
    );
  });

  test.each([
    [
      'https://Agent.Example.COM./v1/run?x=1#top',
      { secure: true, hostname: 'agent.example.com', port: 443, literalAddress: null },
      '/v1/run?x=1',
    ],
    [
      'http://[2606:4700:0::1]:8080',
      { secure: false, hostname: '2606:4700::1', port: 8080, literalAddress: '2606:4700::1' },
      '/',
    ],
    ['http://a.example', { secure: false, hostname: 'a.example', port: 80, literalAddress: null }, '/'],
    ['https://a.example:80', { secure: true, hostname: 'a.example', port: 80, literalAddress: null }, '/'],
  ])('%s is returned in parts that are safe to use', (text, parts, path) => {
    const result = parseTargetUrl(text, strict);
    if (!result.ok) throw new Error(result.message);
    const { url, ...rest } = result.target;
    expect([rest, url.pathname + url.search]).toEqual([parts, path]);
  });

  test('may have an @ after its host, or be a name that only a lookup can resolve', () => {
    const ats = '1.1.1.1/@a 1.1.1.1?@a 1.1.1.1#@a 1.1.1.1\\@a'.split(' ');
    const names = 'redis:6379/ metadata.google.internal/ example.com xn--bcher-kva.example/'.split(' ');
    const texts = [...ats, ...names].map((rest) => `http://${rest}`);
    expect(verdicts(texts).filter(({ verdict }) => verdict !== 'accepted')).toEqual([]);
  });
});

describe('a URL that breaks another rule', () => {
  test.each([
    '',
    'http://exa mple.com/',
    'http://exa\nmple.com/',
    'http://example.com/\r\nX-Evil: 1',
    'http://example.com/\t',
    'http://example.com/\u0000',
    ...'example.com /run //example.com/ http:// http://:80/ http:1.1.1.1 http:1.1.1.1/'.split(' '),
    ...'http:/1.1.1.1/ http:///1.1.1.1/ http:////1.1.1.1/ http:\\\\1.1.1.1\\ http:/\\1.1.1.1/'.split(' '),
    ...'http:127.0.0.1/ http:user@1.1.1.1/ http:/user@1.1.1.1/http://1.1.1.1/'.split(' '),
    ...'http://example.com:99999/ http://1.2.3.256/ http://1.2.3.4.5/ http://0x100000000/'.split(' '),
    ...'http://[::1%25lo]/ http://[fe80::1%eth0]/ http://[::1/ http://./'.split(' '),
  ])('%j is rejected as malformed', (text) => {
    expect(verdicts([text])).toEqual([{ text, verdict: 'malformed' }]);
  });

  test.each([
    ...'file:///etc/passwd data:application/json,{} s3://bucket/key ftp://example.com/'.split(' '),
    ...'ws://example.com/ gopher://example.com/ javascript:alert(1) blob:http://example.com/id'.split(' '),
    ...'unix:/var/run/docker.sock view-source:http://example.com/ example.com:80'.split(' '),
    'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
  ])('%j is rejected for its scheme', (text) => {
    expect(verdicts([text])).toEqual([{ text, verdict: 'scheme' }]);
  });

  test.each([
    '  http://@example.com?@',
    ...'http://user@example.com/ http://user:pass@example.com/ http://:pass@example.com/'.split(' '),
    ...'http://@1.1.1.1/ http://:@1.1.1.1/ http://@127.0.0.1/ HTTPS://@example.com'.split(' '),
    ...'http://@@example.com/ https://example.com:443@127.0.0.1/'.split(' '),
    'https://example.com%2f@127.0.0.1/',
  ])('%j is rejected for its userinfo', (text) => {
    expect(verdicts([text])).toEqual([{ text, verdict: 'userinfo' }]);
  });

  test('is rejected one character above the limit, counted in code points', () => {
    const start = 'https://example.com/';
    for (const character of ['a', 'é', '😀']) {
      const longest = start + character.repeat(maxTargetUrlLength - start.length);
      expect(parseTargetUrl(longest, strict).ok).toBe(true);
      expect(parseTargetUrl(longest + character, strict)).toMatchObject({ ok: false, fault: 'too_long' });
    }
    expect(parseTargetUrl('a'.repeat(1_000_000), strict)).toMatchObject({ ok: false, fault: 'too_long' });
  });

  test('is rejected with one sentence that repeats nothing from the text', () => {
    for (const text of 'http://secret-user:pw@example.com/ http://10.9.8.7/ secret-user ftp://secret-user/'.split(
      ' ',
    )) {
      const result = parseTargetUrl(text, strict);
      if (result.ok) throw new Error(`${text} was accepted.`);
      expect(result.message).toMatch(/^The URL [^.]*\.$/);
      expect(result.message).not.toMatch(/secret|10\.9/);
    }
  });
});

test('no text throws or is accepted against the rules', () => {
  const words = 'http https : / // @ [ ] :: ffff 127 . 0 1 0x7f % 2e ? # \\ localhost ａ 。'.split(' ');
  const pieces = fc.constantFrom(...words, '\n', ' ');
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces, { maxLength: 20 }).map((parts) => parts.join('')),
    fc.array(pieces, { maxLength: 16 }).map((parts) => `http://${parts.join('')}`),
    fc.webUrl(),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const result = parseTargetUrl(text, strict);
      if (!result.ok) return;
      const { url, hostname, literalAddress, port } = result.target;
      expect(['http:', 'https:']).toContain(url.protocol);
      expect(url.username + url.password).toBe('');
      expect(hostname).not.toMatch(/(^|\.)localhost$/);
      expect(literalAddress === null || strict.permits(literalAddress)).toBe(true);
      expect(port).toBeWithin(0, 65_536);
    }),
    { numRuns: 1_000 },
  );
});

/**
 * IPv6 addresses that a gateway or tunnel forwards to IPv4: every form is recognized, and nothing else is.
 */
describe('allowing all of IPv6 permits no path to denied IPv4', () => {
  const policy = createAddressPolicy(['::/0']);
  // 192.168.1.1 and 8.8.8.8, and both with all bits inverted, as Teredo encodes its client.
  const [denied, open, deniedClient, openClient] = ['c0a8:101', '808:808', '3f57:fefe', 'f7f7:f7f7'];

  test.each([
    ['IPv4-compatible', (address: string) => `::${address}`],
    ['stateless translation', (address: string) => `::ffff:0:${address}`],
    ['NAT64', (address: string) => `64:ff9b::${address}`],
    ['NAT64 for local use', (address: string) => `64:ff9b:1:2:3:4:${address}`],
    ['ISATAP', (address: string) => `2001:db8:1:2:0:5efe:${address}`],
    ['ISATAP of a public address', (address: string) => `2001:db8:1:2:200:5efe:${address}`],
    ['6to4', (address: string) => `2002:${address}:1:2:3:4:5`],
  ])('%s is permitted only if its IPv4 part is', (_, form) => {
    expect([policy.permits(form(denied)), policy.permits(form(open))]).toEqual([false, true]);
  });

  test('Teredo is permitted only if both server and client are', () => {
    const forms = [
      [open, openClient],
      [denied, openClient],
      [open, deniedClient],
    ].map(([server, client]) => `2001:0:${server}:1:2:${client}`);
    expect(forms.map((form) => policy.permits(form))).toEqual([true, false, false]);
    // 192.0.2.1 is reserved for documentation, 192.0.1.0 and 2.1.2.1 are not: each group counts at its
    // position.
    const [server, client] = ['c000:201', '3fff:fdfe'];
    expect(policy.permits(`2001:0:${server}:100:2:${openClient}`)).toBe(false);
    expect(policy.permits(`2001:0:${open}:100:2:${client}`)).toBe(false);
  });

  test('an address one group away from such a form carries no IPv4', () => {
    const neighbours = [
      ...'1:0:0:0:0:0 0:1:0:0:0:0 0:0:1:0:0:0 0:0:0:1:0:0 0:0:0:0:1:0 0:0:0:0:0:1'.split(' '),
      ...'1:0:0:0:ffff:0 0:1:0:0:ffff:0 0:0:1:0:ffff:0 0:0:0:1:ffff:0 0:0:0:0:fffe:0'.split(' '),
      ...'0:0:0:0:ffff:1 65:ff9b:0:0:0:0 64:ff9c:0:0:0:0 64:ff9b:2:0:0:0 64:ff9b:0:1:0:0'.split(' '),
      ...'64:ff9b:0:0:1:0 64:ff9b:0:0:0:1 65:ff9b:1:0:0:0 64:ff9c:1:0:0:0'.split(' '),
      ...'2001:db8:0:0:100:5efe 2001:db8:0:0:0:5eff'.split(' '),
    ].map((start) => `${start}:${denied}`);
    const others = [
      `2003:${denied}:1:2:3:4:5`,
      `2001:1:${open}:1:2:${deniedClient}`,
      `2000:0:${open}:1:2:${deniedClient}`,
    ];
    expect([...neighbours, ...others, '::', '::1'].filter((address) => !policy.permits(address))).toEqual([]);
    expect(policy.permits('::2')).toBe(false);
  });
});
