/**
 * Verifies signatures of Standard Webhooks (https://www.standardwebhooks.com). The reference library decodes
 * the body to text and reads the machine's clock. This module hashes the raw bytes, takes the time as a
 * parameter, and accepts only one form of the three headers.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface WebhookDelivery {
  readonly headers: Headers;
  /** The raw bytes. */
  readonly body: Uint8Array;
}

/** The holder of the secret sent the delivery, not long ago. Repeats have the same `id`. */
export type WebhookVerdict =
  | { readonly ok: true; readonly id: string }
  /** `reason` completes "The signature is not valid: …". */
  | { readonly ok: false; readonly reason: string };

/** In both directions. */
const toleranceSeconds = 5 * 60;
/** A sender that rotates its secret signs with the old and the new one. */
const signaturesMax = 10;
/** Printable ASCII without a dot: the signed text separates id and timestamp with one. */
const idForm = /^[\x21-\x2d\x2f-\x7e]{1,256}$/;
const timestampForm = /^\d{10}$/;
const prefix = 'whsec_';

/** @param secret `whsec_` and the key in base64, as in the settings */
export function verifyWebhook(secret: string, { headers, body }: WebhookDelivery, now: Date): WebhookVerdict {
  const id = headers.get('webhook-id') ?? '';
  if (!idForm.test(id)) return refused('the header `webhook-id` is missing or malformed');
  const timestamp = headers.get('webhook-timestamp') ?? '';
  if (!timestampForm.test(timestamp)) {
    return refused('the header `webhook-timestamp` must be the Unix time in seconds, ten digits');
  }
  if (Math.abs(Math.floor(now.getTime() / 1_000) - Number(timestamp)) > toleranceSeconds) {
    return refused('the timestamp is more than five minutes away from the current time');
  }
  const signatures = (headers.get('webhook-signature') ?? '').split(' ', signaturesMax + 1);
  if (signatures.length > signaturesMax) {
    return refused(`the header \`webhook-signature\` has more than ${signaturesMax} signatures`);
  }
  const expected = sign(secret, `${id}.${timestamp}.`, body);
  // Compares every signature, so that the time taken reveals nothing.
  const matches = signatures.filter((signature) => isEqual(signature, expected));
  return matches.length > 0
    ? { ok: true, id }
    : refused('no signature in `webhook-signature` matches the body');
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
