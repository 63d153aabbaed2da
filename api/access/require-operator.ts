/**
 * Restricts operator endpoints to holders of the operator key. An address never suffices: a proxy on the same machine
 * connects from loopback for everybody.
 */
import { DomainError } from '#domain/errors.ts';
import { isCrossSiteWrite, operatorKeyOf } from '#runtime/inbound-http/operator-access.ts';
import type { ApiDeps } from '../deps.ts';
import { createKeyGate } from './key-gate.ts';
import { hasOperatorCookie } from './operator-session.ts';
import type { RateLimiter } from './rate-limits.ts';

/** @throws DomainError missing_token, invalid_token, rate_limited, operator_only or cross_site_request */
export type RequireOperator = (request: Request, clientAddress: string) => Promise<void>;

/** @param wrongKeys counts wrong keys; null disables the limit */
export function createRequireOperator(
  { settings: { operatorKey }, rules, clock }: Pick<ApiDeps, 'settings' | 'rules' | 'clock'>,
  wrongKeys: RateLimiter | null,
): RequireOperator {
  if (operatorKey === null) return () => Promise.reject(operatorPagesClosed());
  const requireKey = createKeyGate({
    key: operatorKey,
    wrongKeys,
    createError: () =>
      new DomainError('invalid_token', 'The operator key is invalid.', {
        hint: 'Send the value of OPERATOR_KEY that the hub was started with, or of the file operator-key in its data folder.',
      }),
  });
  return async (request, clientAddress) => {
    const given = operatorKeyOf(request);
    if (given !== null) await requireKey(given, clientAddress);
    else if (!hasOperatorCookie(request, { operatorKey, baseUrl: rules.baseUrl, now: clock.now() }))
      throw operatorKeyMissing();
    if (!isCrossSiteWrite(request)) return;
    throw new DomainError('cross_site_request', 'Pages from other sites cannot change the hub.', {
      hint: 'Open /admin/queues directly, or send the request from a program.',
    });
  };
}

function operatorKeyMissing(): DomainError {
  return new DomainError('missing_token', 'This endpoint is for operators and requires the operator key.', {
    hint: 'Send the key as `Authorization: Bearer <key>`, or as the password of Basic authentication. `hub operator-link` on the machine of the hub prints a link that signs a browser in.',
  });
}

export function operatorPagesClosed(): DomainError {
  return new DomainError('operator_only', 'This hub has no operator key, so its operator pages are closed.', {
    hint: 'The operator can open them to holders of a key by setting OPERATOR_KEY.',
  });
}
