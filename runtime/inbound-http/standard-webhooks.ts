/**
 * Checks the signatures of deliveries by the scheme of Standard Webhooks (https://www.standardwebhooks.com). The reference
 * library turns the body into text first and reads the clock of the machine; here the raw bytes are hashed, and the three
 * headers have one form only.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface WebhookDelivery {
  readonly headers: Headers;
  /** As it came over the wire. */
  readonly body: Uint8Array;
}

/** The delivery is what the holder of the secret has sent, not long ago; `id` is the same for every repeat. */
export type WebhookVerdict =
  | { readonly ok: true; readonly id: string }
  /** `reason` completes "The signature is not valid: …". */
  | { readonly ok: false; readonly reason: string };

/** In seconds, to either side. */
const toleranceSeconds = 5 * 60;
/** While a sender changes its secret it signs with the old and the new one. */
const signaturesMax = 10;
/** Printable ASCII; a dot would let the id reach into the timestamp, which is signed right behind it. */
const idForm = /^[\x21-\x2d\x2f-\x7e]{1,256}$/;
const timestampForm = /^\d{10}$/;
const prefix = 'whsec_';

/** @param secret `whsec_` and the key in base64, as the settings hold it */
export function verifyWebhook(secret: string, { headers, body }: WebhookDelivery, now: Date): WebhookVerdict {
  const id = headers.get('webhook-id') ?? '';
  if (!idForm.test(id)) return refused('the header `webhook-id` is missing or has another form');
  const timestamp = headers.get('webhook-timestamp') ?? '';
  if (!timestampForm.test(timestamp)) {
    return refused('the header `webhook-timestamp` must be the time in seconds, ten digits');
  }
  if (Math.abs(Math.floor(now.getTime() / 1_000) - Number(timestamp)) > toleranceSeconds) {
    return refused('the delivery is more than five minutes old, or from the future');
  }
  const signatures = (headers.get('webhook-signature') ?? '').split(' ', signaturesMax + 1);
  if (signatures.length > signaturesMax) {
    return refused(`the header \`webhook-signature\` has more than ${signaturesMax} signatures`);
  }
  const expected = sign(secret, `${id}.${timestamp}.`, body);
  // Each is compared, whether one before it was right or not.
  const matches = signatures.filter((signature) => isEqual(signature, expected));
  return matches.length > 0 ? { ok: true, id } : refused('no signature in `webhook-signature` fits the body');
}

function sign(secret: string, signedHead: string, body: Uint8Array): string {
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  return `v1,${createHmac('sha256', key).update(signedHead).update(body).digest('base64')}`;
}

function isEqual(one: string, other: string): boolean {
  const [oneBytes, otherBytes] = [Buffer.from(one), Buffer.from(other)];
  return oneBytes.length === otherBytes.length && timingSafeEqual(oneBytes, otherBytes);
}

function refused(reason: string): WebhookVerdict {
  return { ok: false, reason };
}
