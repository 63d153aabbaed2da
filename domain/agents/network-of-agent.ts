import { shareNetwork } from '#runtime/inbound-http/client-address.ts';

/** The network to which turns are charged. An agent whose network is unknown counts as a network of its own. */
export function networkOfAgent(network: string | null, agentId: string): string {
  return network === null ? agentId : shareNetwork(network);
}
