/** Checks deliveries of other services by the signature of a secret that the operator shares with them. */
import { DomainError } from '#domain/errors.ts';
import { verifyWebhook } from '#runtime/inbound-http/standard-webhooks.ts';
import type { ApiSettings } from '../deps.ts';
import type { Call } from '../endpoint.ts';

/** @param name of the setting, for its operator */
export function signedWith(setting: 'inboundMailSecret' | 'paymentsWebhookSecret', name: string) {
  const secretOf = ({ [setting]: secret }: ApiSettings): string => {
    if (secret !== null) return secret;
    throw new DomainError('webhook_not_configured', 'This hub does not accept these deliveries.', {
      hint: `The operator can enable them by setting ${name}.`,
    });
  };
  return {
    /** @throws DomainError webhook_not_configured */
    requires: (settings: ApiSettings): void => void secretOf(settings),
    /** @throws DomainError invalid_webhook_signature */
    check: ({ ctx, deps, request, rawBody }: Pick<Call, 'ctx' | 'deps' | 'request' | 'rawBody'>): void => {
      const sent = { headers: request.headers, body: rawBody };
      const verdict = verifyWebhook(secretOf(deps.settings), sent, ctx.clock.now());
      if (verdict.ok) return;
      throw new DomainError('invalid_webhook_signature', `The signature is invalid: ${verdict.reason}.`, {
        hint: 'Sign the raw body according to Standard Webhooks, with the secret that the operator has configured here.',
      });
    },
  };
}
