/**
 * The signing secret of a webhook. It is derived from the hub's SECRET_KEY and the webhook's id when needed
 * and never stored. A new SECRET_KEY changes all secrets; `secretHash` detects that.
 */
import { createHash, createHmac } from 'node:crypto';

/** Standard Webhooks, "Signature scheme": the prefix, then the key in base64. */
export function webhookSecret(secretKey: string, webhookId: string): string {
  // The label separates this from other keys derived from SECRET_KEY.
  const key = createHmac('sha256', secretKey).update(`outbound webhook ${webhookId}`).digest();
  return `whsec_${key.toString('base64')}`;
}

export function hashWebhookSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
