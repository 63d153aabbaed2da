/** The addresses that agents may name as targets and webhooks, by the settings and by what stands in front of the hub. */
import type { ProxyWatch } from '../inbound-http/proxy-watch.ts';
import type { Settings } from '../settings/settings.ts';
import { type AddressPolicy, createAddressPolicy } from './address-policy.ts';

/** A private hub refuses loopback targets from the first sign of a proxy on. */
export function createTargetPolicy(
  { evalAllowedTargets, behindProxy }: Pick<Settings, 'evalAllowedTargets' | 'behindProxy'>,
  proxies: Pick<ProxyWatch, 'isProxied'>,
): AddressPolicy {
  const direct = createAddressPolicy(evalAllowedTargets);
  if (behindProxy === null) return direct;
  const proxied = createAddressPolicy(behindProxy.evalAllowedTargets);
  return { permits: (address) => (proxies.isProxied() ? proxied : direct).permits(address) };
}
