/** Settings under which no endpoint answers that the operator has not turned it on. */
import type { ApiSettings } from '#api/deps.ts';

export const everythingConfigured = {
  operatorKey: 'the-key-of-the-operator',
  inboxKey: 'the-key-of-the-inbox',
  inboundMailSecret: `whsec_${Buffer.from('another key of 24 bytes.').toString('base64')}`,
  paymentsWebhookSecret: `whsec_${Buffer.from('a shared key of 24 bytes').toString('base64')}`,
  // Nobody listens there.
  checkoutApiUrl: 'http://127.0.0.1:9/sessions',
  checkoutAccessToken: 'checkout-token',
} as const satisfies Partial<ApiSettings>;
