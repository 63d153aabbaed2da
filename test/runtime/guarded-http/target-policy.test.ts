import { expect, test } from 'bun:test';
import { createClientDocumentPolicy, createTargetPolicy } from '#runtime/guarded-http/target-policy.ts';
import { noProxyWatch } from '#runtime/inbound-http/proxy-watch.ts';
import { parseSettings } from '#runtime/settings/settings.ts';

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
