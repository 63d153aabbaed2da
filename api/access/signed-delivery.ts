/** Deliveries of other services: taken only with the signature of the secret that the operator shares with them. */
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
  throw new DomainError('webhook_not_configured', 'This hub takes no such deliveries.', {
    hint: `The operator turns them on by setting ${setting}.`,
  });
}

/**
 * @returns the sender's id for the delivery
 * @throws DomainError invalid_webhook_signature
 */
export function requireSignature(secret: string, { request, rawBody, now }: SignedDelivery): string {
  const verdict = verifyWebhook(secret, { headers: request.headers, body: rawBody }, now);
  if (verdict.ok) return verdict.id;
  throw new DomainError('invalid_webhook_signature', `The signature is not valid: ${verdict.reason}.`, {
    hint: 'Sign the raw body as Standard Webhooks says, with the secret that the operator has set here.',
  });
}
