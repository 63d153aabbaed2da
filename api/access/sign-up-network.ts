import { hashNetwork, isLoopbackAddress } from '#runtime/inbound-http/client-address.ts';
import type { Call } from '../endpoint.ts';

/** What a new agent keeps of the address from which it signed up. */
export function networkOf({ ctx, deps, clientAddress }: Pick<Call, 'ctx' | 'deps' | 'clientAddress'>): {
  readonly network?: string;
} {
  // Everybody on the machine of a private hub has this address, so it tells nobody apart.
  const address = clientAddress();
  const isLocal = ctx.rules.identity.isPrivate && isLoopbackAddress(address);
  return isLocal ? {} : { network: hashNetwork(deps.secretKey, address) };
}
