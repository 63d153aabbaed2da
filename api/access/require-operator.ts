/**
 * Restricts operator endpoints to holders of the operator key. If no key is set, a private hub serves them to its
 * own machine, and a public hub to nobody.
 */
import { DomainError } from '#domain/errors.ts';
import { isCrossSiteWrite, isLocalRequest, operatorKeyOf } from '#runtime/inbound-http/operator-access.ts';
import type { ApiSettings } from '../deps.ts';
import { createKeyGate } from './key-gate.ts';
import type { RateLimiter } from './rate-limits.ts';

export interface Caller {
  /** The address of the TCP connection, which may be a proxy's. */
  readonly peer: string;
  readonly clientAddress: string;
}

/** @throws DomainError missing_token, invalid_token, rate_limited, operator_only or cross_site_request */
export type RequireOperator = (request: Request, caller: Caller) => Promise<void>;

/** @param wrongKeys counts wrong keys; null disables the limit */
export function createRequireOperator(
  { operatorKey, isPublic }: Pick<ApiSettings, 'operatorKey' | 'isPublic'>,
  wrongKeys: RateLimiter | null,
): RequireOperator {
  const requireCaller =
    operatorKey === null ? createRequireLocal(isPublic) : createRequireKey(operatorKey, wrongKeys);
  return async (request, caller) => {
    await requireCaller(request, caller);
    if (!isCrossSiteWrite(request)) return;
    throw new DomainError('cross_site_request', 'Pages from other sites cannot change the hub.', {
      hint: 'Open /admin/queues directly, or send the request from a program.',
    });
  };
}

function createRequireKey(key: string, wrongKeys: RateLimiter | null): RequireOperator {
  const requireKey = createKeyGate({
    key,
    wrongKeys,
    createError: () =>
      new DomainError('invalid_token', 'The operator key is invalid.', {
        hint: 'Send the value of OPERATOR_KEY that the hub was started with.',
      }),
  });
  return async (request, { clientAddress }) => {
    const given = operatorKeyOf(request);
    if (given === null) {
      throw new DomainError(
        'missing_token',
        'This endpoint is for operators and requires the operator key.',
        {
          hint: 'Send the key as `Authorization: Bearer <key>`, or as the password of Basic authentication.',
        },
      );
    }
    await requireKey(given, clientAddress);
  };
}

function createRequireLocal(isPublic: boolean): RequireOperator {
  return async (request, { peer }) => {
    if (isPublic)
      throw new DomainError('operator_only', 'The operator pages of this public hub are closed.', {
        hint: 'The operator can open them to holders of a key by setting OPERATOR_KEY.',
      });
    if (isLocalRequest(request, peer)) return;
    throw new DomainError('operator_only', 'Only clients on the hub’s own machine may use this endpoint.', {
      hint: 'The operator can open it to others by setting OPERATOR_KEY.',
    });
  };
}
