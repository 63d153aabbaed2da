/** Restricts the inbox to holders of the inbox key. */
import { DomainError } from '#domain/errors.ts';
import { createKeyGate } from './key-gate.ts';
import type { RateLimiter } from './rate-limits.ts';

/** @throws DomainError inbox_not_configured, invalid_inbox_key or rate_limited */
export type RequireInboxKey = (request: Request, clientAddress: string) => Promise<void>;

const bearerPattern = /^bearer +(\S+) *$/i;

/**
 * @param inboxKey INBOX_KEY; null rejects everybody
 * @param wrongKeys counts wrong keys; null disables the limit
 */
export function createRequireInboxKey(
  inboxKey: string | null,
  wrongKeys: RateLimiter | null,
): RequireInboxKey {
  if (inboxKey === null) {
    return async () => {
      throw inboxNotConfigured();
    };
  }
  const requireKey = createKeyGate({ key: inboxKey, wrongKeys, createError: invalidInboxKey });
  return async (request, clientAddress) => {
    const given = bearerPattern.exec(request.headers.get('authorization') ?? '')?.[1];
    if (given === undefined) throw invalidInboxKey();
    await requireKey(given, clientAddress);
  };
}

export function inboxNotConfigured(): DomainError {
  return new DomainError('inbox_not_configured', 'This hub has no inbox key, so nobody can read its inbox.', {
    hint: 'The operator can open the inbox by setting INBOX_KEY.',
  });
}

/** The same for a wrong key and a missing one. Clients match this message, so it does not change. */
function invalidInboxKey(): DomainError {
  return new DomainError('invalid_inbox_key', 'Invalid inbox key', {
    hint: 'Send the value of INBOX_KEY as `Authorization: Bearer <key>`.',
  });
}
