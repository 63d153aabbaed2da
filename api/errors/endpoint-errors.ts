/** The error codes of an endpoint: those of its verb and those that follow from its declaration. */
import type { ErrorCode } from '#domain/errors.ts';
import { type Access, type Endpoint, isRefusedWhileFrozen } from '../endpoint.ts';
import { takesBody } from '../request/body-reader.ts';

const codesOfAccess: Readonly<Record<Access, readonly ErrorCode[]>> = {
  none: [],
  optional: ['agent_suspended'],
  agent: ['missing_token', 'invalid_token', 'agent_suspended'],
  maintainer: ['missing_token', 'invalid_token', 'agent_suspended', 'maintainer_only'],
  operator: ['missing_token', 'invalid_token', 'operator_only', 'rate_limited'],
  inbox: ['inbox_not_configured', 'invalid_inbox_key', 'rate_limited'],
};

/** All codes without duplicates, in alphabetical order. */
export function errorCodesOf(endpoint: Endpoint): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([
    'internal_error',
    // Every request has a `Host` header, which may be malformed.
    'invalid_parameter',
    'invalid_host',
    ...(endpoint.errors ?? []),
    ...codesOfAccess[endpoint.auth].filter(
      (code) => code !== 'agent_suspended' || endpoint.openToSuspended !== true,
    ),
  ]);
  const add = (condition: boolean, ...more: readonly ErrorCode[]): void => {
    if (condition) for (const code of more) codes.add(code);
  };
  add(endpoint.method !== 'GET', 'database_pending');
  add(endpoint.rateLimit !== 'none', 'rate_limited', 'database_unavailable');
  add(isRefusedWhileFrozen(endpoint), 'hub_frozen');
  add(endpoint.auth === 'operator' && takesBody(endpoint), 'cross_site_request');
  add(takesBody(endpoint), 'invalid_body', 'body_too_large', 'unsupported_media_type');
  add(endpoint.idempotent !== undefined, 'idempotency_key_reused');
  add(endpoint.idempotent !== undefined && endpoint.idempotent !== 'own', 'request_in_progress');
  return [...codes].toSorted();
}
