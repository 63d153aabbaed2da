/**
 * IPv6 addresses that a gateway or tunnel forwards to IPv4: every form is recognized, and nothing else is.
 */
import { describe, expect, test } from 'bun:test';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';

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
      '1:0:0:0:0:0',
      '0:1:0:0:0:0',
      '0:0:1:0:0:0',
      '0:0:0:1:0:0',
      '0:0:0:0:1:0',
      '0:0:0:0:0:1',
      '1:0:0:0:ffff:0',
      '0:1:0:0:ffff:0',
      '0:0:1:0:ffff:0',
      '0:0:0:1:ffff:0',
      '0:0:0:0:fffe:0',
      '0:0:0:0:ffff:1',
      '65:ff9b:0:0:0:0',
      '64:ff9c:0:0:0:0',
      '64:ff9b:2:0:0:0',
      '64:ff9b:0:1:0:0',
      '64:ff9b:0:0:1:0',
      '64:ff9b:0:0:0:1',
      '65:ff9b:1:0:0:0',
      '64:ff9c:1:0:0:0',
      '2001:db8:0:0:100:5efe',
      '2001:db8:0:0:0:5eff',
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
