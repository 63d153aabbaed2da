/**
 * The secret that signs what a webhook is sent: made of the hub's SECRET_KEY and the webhook's id whenever it is needed,
 * so that it is stored nowhere. A new SECRET_KEY makes other secrets; `secretHash` is how a process notices.
 */
import { createHash, createHmac } from 'node:crypto';

/** Standard Webhooks, "Signature scheme": the prefix, then the key in base64. */
export function webhookSecret(secretKey: string, webhookId: string): string {
  // The label keeps these apart from whatever else is made of the same key.
  const key = createHmac('sha256', secretKey).update(`outbound webhook ${webhookId}`).digest();
  return `whsec_${key.toString('base64')}`;
}

export function hashWebhookSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
