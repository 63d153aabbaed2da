/** Settings that enable every endpoint. */
import type { ApiSettings } from '#api/deps.ts';
import type { TestAgent } from './agents.ts';
import type { Access } from './operations.ts';

export const everythingConfigured = {
  operatorKey: 'the-key-of-the-operator',
  inboxKey: 'the-key-of-the-inbox',
  inboundMailSecret: `whsec_${Buffer.from('another key of 24 bytes.').toString('base64')}`,
  paymentsWebhookSecret: `whsec_${Buffer.from('a shared key of 24 bytes').toString('base64')}`,
  // Nothing listens on this port.
  checkoutApiUrl: 'http://127.0.0.1:9/sessions',
  checkoutAccessToken: 'checkout-token',
} as const satisfies Partial<ApiSettings>;

/** The token for each access on a hub with these settings; undefined for `none`. */
export function tokensFor(
  { bearerToken: agent }: TestAgent,
  { bearerToken: maintainer }: TestAgent,
): Readonly<Record<Access, string | undefined>> {
  const { operatorKey: operator, inboxKey: inbox } = everythingConfigured;
  return { none: undefined, agent, maintainer, operator, inbox };
}
