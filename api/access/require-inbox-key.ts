/** Lets only holders of the inbox key see the inbox (interface.md "Authentication" 4). */
import { DomainError } from '#domain/errors.ts';
import { createKeyGate } from './key-gate.ts';
import type { RateLimiter } from './rate-limits.ts';

/** @throws DomainError inbox_not_configured, invalid_inbox_key or rate_limited */
export type RequireInboxKey = (request: Request, clientAddress: string) => Promise<void>;

const bearerPattern = /^bearer +(\S+) *$/i;

/**
 * @param inboxKey INBOX_KEY; null lets nobody in
 * @param wrongKeys counts wrong keys; null when they are not limited
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
  return new DomainError(
    'inbox_not_configured',
    'This hub has no inbox key, so that nobody can read its inbox.',
    {
      hint: 'The operator opens the inbox by setting INBOX_KEY.',
    },
  );
}

/** The same for every key that is not the one, and for none. The wording is the interface's. */
function invalidInboxKey(): DomainError {
  return new DomainError('invalid_inbox_key', 'Invalid inbox key', {
    hint: 'Send the value of INBOX_KEY as `Authorization: Bearer <key>`.',
  });
}
