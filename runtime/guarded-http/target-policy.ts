/** The addresses that agents may name as targets and webhooks, by the settings and by what stands in front of the hub. */
import type { ProxyWatch } from '../inbound-http/proxy-watch.ts';
import type { Settings } from '../settings/settings.ts';
import { type AddressPolicy, createAddressPolicy } from './address-policy.ts';
import { createOwnAddresses } from './own-addresses.ts';

type Deciding = Pick<Settings, 'baseUrl' | 'evalAllowedTargets' | 'behindProxy'>;

/** A private hub refuses loopback targets from the first sign of a proxy on. */
export function createTargetPolicy(
  { baseUrl, evalAllowedTargets, behindProxy }: Deciding,
  proxies: Pick<ProxyWatch, 'isProxied'>,
  own = createOwnAddresses(baseUrl),
): AddressPolicy {
  const direct = createAddressPolicy(evalAllowedTargets, own);
  if (behindProxy === null) return direct;
  const proxied = createAddressPolicy(behindProxy.evalAllowedTargets, own);
  const current = (): AddressPolicy => (proxies.isProxied() ? proxied : direct);
  return {
    permits: (address, name) => current().permits(address, name),
    permitsName: (name) => current().permitsName(name),
    refresh: () => own.refresh(),
  };
}

/**
 * The addresses at which metadata documents of OAuth clients may be. `EVAL_ALLOWED_TARGETS` does not count, because
 * anybody may name a document, without a token.
 */
export function createClientDocumentPolicy(
  { baseUrl, isPublic, evalAllowedTargets, behindProxy }: Deciding & Pick<Settings, 'isPublic'>,
  proxies: Pick<ProxyWatch, 'isProxied'>,
): AddressPolicy {
  const opensLoopback = !isPublic && evalAllowedTargets.includes('loopback');
  return createTargetPolicy(
    {
      baseUrl,
      evalAllowedTargets: opensLoopback ? ['loopback'] : [],
      behindProxy: behindProxy === null ? null : { ...behindProxy, evalAllowedTargets: [] },
    },
    proxies,
  );
}
