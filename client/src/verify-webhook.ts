/** Verifies deliveries of the hub's webhooks (https://www.standardwebhooks.com). */
import { fromBase64, toBase64 } from './keys.ts';

export interface WebhookDelivery {
  /** The secret that the hub showed once: `whsec_` and base64. */
  readonly secret: string;
  readonly headers: Headers | Readonly<Record<string, string | undefined>>;
  /** As received, before parsing. */
  readonly body: string;
  /** The tolerance for the delivery's timestamp in seconds; 300 by default. */
  readonly toleranceSeconds?: number;
}

export interface WebhookPayload {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** @throws Error if the signature is wrong or the delivery is not recent */
export async function verifyWebhook({
  secret,
  headers,
  body,
  toleranceSeconds = 300,
}: WebhookDelivery): Promise<WebhookPayload> {
  const read = (name: string): string =>
    (headers instanceof Headers ? headers.get(name) : headers[name]) ?? '';
  const timestamp = read('webhook-timestamp');
  const ageSeconds = Math.abs(Date.now() / 1_000 - Number(timestamp));
  if (!(ageSeconds <= toleranceSeconds)) throw new Error('The delivery is not recent.');
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signed = new TextEncoder().encode(`${read('webhook-id')}.${timestamp}.${body}`);
  const expected = `v1,${toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', key, signed)))}`;
  const isSigned = read('webhook-signature')
    .split(' ')
    .some((given) => isEqual(given, expected));
  if (!isSigned) throw new Error('The signature is wrong.');
  return JSON.parse(body) as WebhookPayload; // The type is safe, because the hub has signed the body.
}

/** Compares in constant time. */
function isEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let index = 0; index < other.length; index += 1) {
    difference |= (one.codePointAt(index) ?? 0) ^ (other.codePointAt(index) ?? 0);
  }
  return difference === 0;
}
