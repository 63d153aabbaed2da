/** Signs calls to webhooks, both deliveries and questions to judges, as Standard Webhooks specifies. */
import { createHash, createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { WebhookRow } from './show-webhook.ts';

/**
 * The signing secret of a webhook. It is derived from the hub's SECRET_KEY and the webhook's id when needed
 * and never stored. A new SECRET_KEY changes all secrets; `secretHash` detects that.
 * Standard Webhooks, "Signature scheme": the prefix, then the key in base64.
 */
export function webhookSecret(secretKey: string, webhookId: string): string {
  // The label separates this from other keys derived from SECRET_KEY.
  const key = createHmac('sha256', secretKey).update(`outbound webhook ${webhookId}`).digest();
  return `whsec_${key.toString('base64')}`;
}

export function hashWebhookSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

export interface WebhookCall {
  /** The same for every attempt, so that a receiver can recognise a repeated call. */
  readonly id: string;
  readonly type: string;
  /** When the event happened. */
  readonly at: Date;
  readonly data: unknown;
}

/**
 * The signed request of a call.
 * @returns null if SECRET_KEY has changed since the webhook was registered
 */
export function signCall(
  secretKey: string,
  webhook: Pick<WebhookRow, 'id' | 'url' | 'secretHash'>,
  { id, type, at, data }: WebhookCall,
  sentAt: Date,
) {
  const secret = webhookSecret(secretKey, webhook.id);
  if (hashWebhookSecret(secret) !== webhook.secretHash) return null;
  const body = JSON.stringify({ type, timestamp: at.toISOString(), data });
  return {
    url: webhook.url,
    method: 'POST' as const,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign(id, sentAt, body),
    },
    body,
  };
}
