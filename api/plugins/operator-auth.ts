/** Lets only who runs the hub see its inner state (decisions.md section 9). */
import { DomainError } from '#domain/errors.ts';
import { isLoopbackAddress } from '#runtime/client-address.ts';
import { createKeyGate } from './key-gate.ts';
import type { RateLimiter } from './rate-limits.ts';

/** @throws DomainError missing_token, invalid_token, rate_limited or operator_only */
export type RequireOperator = (request: Request, clientAddress: string) => Promise<void>;

/** What a proxy adds. A request that carries one of these came from elsewhere, whoever opened the connection. */
const FORWARDING_HEADERS = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'];
const LOCAL_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * @param operatorKey OPERATOR_KEY; null lets clients on this machine in, and nobody else
 * @param wrongKeys counts wrong keys; null when they are not limited
 */
export function createRequireOperator(
  operatorKey: string | null,
  wrongKeys: RateLimiter | null,
): RequireOperator {
  if (operatorKey === null) {
    return async (request, clientAddress) => requireLocalClient(request, clientAddress);
  }
  const requireKey = createKeyGate({
    key: operatorKey,
    wrongKeys,
    refusal: () =>
      new DomainError('invalid_token', 'The operator key is not valid.', {
        hint: 'Send the value of OPERATOR_KEY that the hub was started with.',
      }),
  });
  return async (request, clientAddress) => {
    const given = keyOf(request);
    if (given === null) {
      throw new DomainError('missing_token', 'This page is for operators: send the operator key.', {
        hint: 'Send it as `Authorization: Bearer <key>`, or as the password of Basic authentication.',
      });
    }
    await requireKey(given, clientAddress);
  };
}

/**
 * A proxy on this machine connects from loopback for all the world, so what it forwards does not count as local.
 * Neither does a page whose own name was pointed at 127.0.0.1 (DNS rebinding): its requests name another host.
 */
function requireLocalClient(request: Request, clientAddress: string): void {
  const forwarded = FORWARDING_HEADERS.some((name) => request.headers.has(name));
  const host = request.headers.get('host');
  if (isLoopbackAddress(clientAddress) && !forwarded && host !== null && LOCAL_HOST.test(host)) return;
  throw new DomainError('operator_only', 'Only clients on the hub’s own machine may see this.', {
    hint: 'The operator opens it to others by setting OPERATOR_KEY.',
  });
}

function keyOf(request: Request): string | null {
  const [, scheme, credentials] =
    /^(bearer|basic) +(\S+) *$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  if (scheme === undefined || credentials === undefined) return null;
  if (scheme.toLowerCase() === 'bearer') return credentials;
  const decoded = Buffer.from(credentials, 'base64').toString();
  const colon = decoded.indexOf(':');
  return colon === -1 ? null : decoded.slice(colon + 1);
}
