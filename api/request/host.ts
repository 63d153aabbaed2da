/** Refuses requests whose `Host` header is none, as the rule for every server is (RFC 9112 section 3.2). */
import { DomainError } from '#domain/errors.ts';

/**
 * A name or an address, with or without a port. The RFC would let more characters pass that no host has; among them is
 * the comma, by which two `Host` lines come as one.
 */
const hostForm = /^(?:\[[\da-f:.]{2,45}\]|[\w.-]{1,253})(?::\d{0,5})?$/i;

/** @throws DomainError invalid_parameter */
export function requireHost(request: Request): void {
  const host = request.headers.get('host');
  // HTTP/1.0 has none; where HTTP/1.1 has none, the request does not come this far.
  if (host === null || hostForm.test(host)) return;
  throw new DomainError(
    'invalid_parameter',
    'The header `Host` must be given once and name one host, such as hub.example.org or 127.0.0.1:3000.',
  );
}
