/** Checks deliveries of other services by the signature of a secret that the operator shares with them. */
import { DomainError } from '#domain/errors.ts';
import { verifyWebhook } from '#runtime/inbound-http/standard-webhooks.ts';

export interface SignedDelivery {
  readonly request: Request;
  readonly rawBody: Uint8Array;
  readonly now: Date;
}

/** @throws DomainError webhook_not_configured */
export function requireSecret(secret: string | null, setting: string): string {
  if (secret !== null) return secret;
  throw new DomainError('webhook_not_configured', 'This hub does not accept these deliveries.', {
    hint: `The operator can enable them by setting ${setting}.`,
  });
}

/**
 * @returns the sender's id of the delivery
 * @throws DomainError invalid_webhook_signature
 */
export function requireSignature(secret: string, { request, rawBody, now }: SignedDelivery): string {
  const verdict = verifyWebhook(secret, { headers: request.headers, body: rawBody }, now);
  if (verdict.ok) return verdict.id;
  throw new DomainError('invalid_webhook_signature', `The signature is invalid: ${verdict.reason}.`, {
    hint: 'Sign the raw body according to Standard Webhooks, with the secret that the operator has configured here.',
  });
}
