import { expect, test, describe } from 'bun:test';
import { createClientDocumentPolicy, createTargetPolicy } from '#runtime/guarded-http/target-policy.ts';
import { noProxyWatch } from '#runtime/inbound-http/proxy-watch.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { type networkInterfaces } from 'node:os';
import { createGuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import { createOwnAddresses } from '#runtime/guarded-http/own-addresses.ts';
import { parseTargetUrl } from '#runtime/guarded-http/target-url.ts';
import { mappedForms, numberOf, translatedForms, urlFormsOfIpv4 } from './support/address-forms.ts';

const addresses = ['127.0.0.1', '10.1.2.3', '8.8.8.8'];

test('EVAL_ALLOWED_TARGETS opens addresses to targets, but not to documents that anybody may name', () => {
  const settings = parseSettings({
    BASE_URL: 'https://hub.example',
    SECRET_KEY: 'x'.repeat(32),
    EVAL_ALLOWED_TARGETS: '10.0.0.0/8,loopback',
  });
  const targets = createTargetPolicy(settings, noProxyWatch);
  const documents = createClientDocumentPolicy(settings, noProxyWatch);
  expect(addresses.map((address) => targets.permits(address))).toEqual([true, true, true]);
  expect(addresses.map((address) => documents.permits(address))).toEqual([false, false, true]);
});

test('documents on loopback are open on a private hub, until a proxy shows or if targets there are refused', () => {
  const settings = parseSettings({});
  const proxied = { isProxied: () => true };
  const without = parseSettings({ EVAL_ALLOWED_TARGETS: 'none' });
  const permits = [
    createClientDocumentPolicy(settings, noProxyWatch),
    createClientDocumentPolicy(settings, proxied),
    createClientDocumentPolicy(without, noProxyWatch),
  ].map((policy) => policy.permits('127.0.0.1'));
  expect(permits).toEqual([true, false, false]);
});

/** The hub's own machine is no target: neither its interfaces nor the host of BASE_URL, however they are written. */
type Interfaces = ReturnType<typeof networkInterfaces>;

function interfacesWith(cidrs: readonly string[], internal = false): Interfaces {
  const entries = cidrs.map((cidr) => {
    const [address = ''] = cidr.split('/');
    const rest = { address, netmask: '', mac: '02:00:00:00:00:01', internal, cidr };
    return address.includes(':')
      ? { ...rest, family: 'IPv6' as const, scopeid: 0 }
      : { ...rest, family: 'IPv4' as const };
  });
  return { eth0: entries };
}

interface Machine {
  baseUrl?: string;
  allowed?: readonly string[];
  interfaces?: Interfaces;
  /** What each name resolves to at the next lookup. */
  names?: Record<string, readonly string[]>;
}

function machine({ baseUrl = 'http://127.0.0.1', allowed = [], interfaces = {}, names = {} }: Machine) {
  const state = { interfaces, names, nowMs: 0 };
  const resolve = async (name: string): Promise<readonly string[]> => {
    const found = state.names[name];
    if (found === undefined) throw Object.assign(new Error(`no ${name}`), { code: 'ENOTFOUND' });
    return found;
  };
  const own = createOwnAddresses(baseUrl, {
    resolve,
    interfaces: () => state.interfaces,
    nowMs: () => state.nowMs,
  });
  const settings = { baseUrl, evalAllowedTargets: allowed, behindProxy: null };
  const policy = createTargetPolicy(settings, noProxyWatch, own);
  const http = createGuardedHttp({ policy, resolve });
  /** Whether the hub would connect. */
  const calls = async (host: string): Promise<boolean> => {
    const giveUp = new AbortController();
    let isCalled = false;
    const outcome = await http.request({
      url: `http://${host}:8080/`,
      method: 'POST',
      signal: giveUp.signal,
      takeSlot: () => {
        isCalled = true;
        giveUp.abort();
        return Promise.reject(new Error('Enough.'));
      },
    });
    if (!isCalled) expect(outcome).toMatchObject({ ok: false, fault: 'blocked' });
    return isCalled;
  };
  const accepts = (host: string): boolean => parseTargetUrl(`https://${host}/`, policy).ok;
  return { state, policy, calls, accepts };
}

describe('an address of an interface', () => {
  const interfaces = interfacesWith(['20.9.8.7/24', '2a09:8:7::1/64']);

  test('is refused in every notation, and its neighbours are not', async () => {
    const { calls, accepts } = machine({ interfaces });
    const forms = [
      ...urlFormsOfIpv4(numberOf('20.9.8.7')),
      ...[...mappedForms(numberOf('20.9.8.7')), ...translatedForms(numberOf('20.9.8.7'))].map(
        (form) => `[${form}]`,
      ),
      '[2a09:8:7::1]',
      '[2A09:0008:0007:0:0:0:0:0001]',
    ];
    expect(forms.length).toBeGreaterThan(10);
    for (const form of forms) expect([form, accepts(form), await calls(form)]).toEqual([form, false, false]);
    for (const other of ['20.9.8.8', '[2a09:8:7::2]'])
      expect([other, await calls(other)]).toEqual([other, true]);
  });

  test('is refused behind a name', async () => {
    const names = { 'a.test': ['20.1.1.1', '20.9.8.7'], 'b.test': ['20.1.1.1'] };
    const { calls } = machine({ interfaces, names });
    expect([await calls('a.test'), await calls('b.test')]).toEqual([false, true]);
  });

  test('is noticed when it comes, and forgotten when it goes', () => {
    const { state, policy } = machine({});
    expect(policy.permits('20.9.8.7')).toBe(true);
    state.interfaces = interfaces;
    expect(policy.permits('20.9.8.7')).toBe(false);
    state.interfaces = {};
    expect(policy.permits('20.9.8.7')).toBe(true);
  });

  test('covers its whole block on an interface for this machine only', () => {
    const { policy } = machine({ interfaces: interfacesWith(['20.9.8.7/24'], true) });
    expect([policy.permits('20.9.8.200'), policy.permits('20.9.9.1')]).toEqual([false, true]);
  });

  test('is permitted if EVAL_ALLOWED_TARGETS names it, also behind NAT64', () => {
    const { policy } = machine({ interfaces, allowed: ['20.9.8.7/32'] });
    expect([policy.permits('20.9.8.7'), policy.permits('2a09:8:7::1')]).toEqual([true, false]);
    const translating = machine({ interfaces, allowed: ['64:ff9b::/96'] }).policy;
    expect([translating.permits('64:ff9b::20.9.8.7'), translating.permits('64:ff9b::20.9.8.8')]).toEqual([
      false,
      true,
    ]);
  });
});

describe('the host of BASE_URL', () => {
  test('is refused as an address, with any port and scheme', async () => {
    for (const baseUrl of ['https://20.9.8.7', 'http://[2a09:8:7::1]:3000', 'http://0x14090807/hub']) {
      const { calls, accepts } = machine({ baseUrl });
      const host = new URL(baseUrl).hostname;
      expect([host, accepts(host), await calls(host)]).toEqual([host, false, false]);
    }
  });

  test('is refused as a name, in every notation and with all its addresses, under other names too', async () => {
    const names = { 'hub.test': ['20.9.8.7', '20.9.8.8'], 'other.test': ['20.9.8.8'] };
    const { calls, accepts } = machine({ baseUrl: 'https://hub.test', names });
    for (const host of ['hub.test', 'HUB.test.', 'h%75b.test', 'other.test', '20.9.8.7', '[::ffff:20.9.8.8]'])
      expect([host, await calls(host)]).toEqual([host, false]);
    expect(['hub.test', 'Hub.Test.', '20.9.8.7'].filter(accepts)).toEqual([]);
    expect([accepts('not-hub.test'), await calls('20.9.8.9')]).toEqual([true, true]);
  });

  test('stays refused while its name server returns other addresses, or nothing', async () => {
    const { state, calls } = machine({ baseUrl: 'https://hub.test', names: { 'hub.test': ['20.9.8.7'] } });
    expect(await calls('20.9.8.7')).toBe(false);
    for (const found of [['20.9.8.8'], null]) {
      state.nowMs += 20_000;
      state.names = found === null ? {} : { 'hub.test': found };
      expect([await calls('20.9.8.7'), await calls('20.9.8.8')]).toEqual([false, false]);
    }
    state.nowMs += 2 * 60 * 60 * 1_000;
    expect(await calls('20.9.8.7')).toBe(true);
  });

  test('is refused by its name even if only the lookup of the target succeeds', async () => {
    const { state, calls, policy } = machine({ baseUrl: 'https://hub.test', names: {} });
    await policy.refresh();
    state.names = { 'hub.test': ['20.9.8.7'] };
    expect(await calls('hub.test')).toBe(false);
  });

  test('is permitted if EVAL_ALLOWED_TARGETS names all its addresses', async () => {
    const names = { 'hub.test': ['20.9.8.7', '20.9.8.8'] };
    const some = machine({ baseUrl: 'https://hub.test', names, allowed: ['20.9.8.7/32'] });
    expect([await some.calls('hub.test'), await some.calls('20.9.8.7')]).toEqual([false, true]);
    const all = machine({ baseUrl: 'https://hub.test', names, allowed: ['20.9.8.0/24'] });
    expect([await all.calls('hub.test'), all.accepts('hub.test')]).toEqual([true, true]);
  });

  test('is permitted on a private hub, whose own names are loopback', async () => {
    for (const baseUrl of ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://hub.localhost']) {
      const names = { localhost: ['127.0.0.1', '::1'], 'hub.localhost': ['127.0.0.1'] };
      const interfaces = interfacesWith(['127.0.0.1/8'], true);
      const { calls } = machine({ baseUrl, names, allowed: ['loopback'], interfaces });
      for (const host of ['localhost', '127.0.0.1', 'hub.localhost'])
        expect([baseUrl, host, await calls(host)]).toEqual([baseUrl, host, true]);
    }
  });
});
