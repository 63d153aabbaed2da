/**
 * Checks a single shared key that the operator chose. Wrong keys are counted per network: unlike the tokens
 * that the hub generates, a key chosen by a person can be guessed.
 */
import { timingSafeEqual } from 'node:crypto';
import { DomainError } from '#domain/errors.ts';
import { isCrossSiteWrite, operatorKeyOf } from '#runtime/inbound-http/operator-access.ts';
import type { ApiDeps } from '../deps.ts';
import { hasOperatorCookie } from './operator-session.ts';
import type { RateLimiter } from './rate-limits.ts';

/**
 * @throws DomainError the error for a wrong key, or rate_limited once the network has sent too many, even for
 * the right key
 */
type KeyGate = (given: string, clientAddress: string) => Promise<void>;

/** @param createError makes the error for a wrong key */
function createKeyGate(key: string, wrongKeys: RateLimiter, createError: () => DomainError): KeyGate {
  const expected = Bun.SHA256.hash(key);
  return async (given, clientAddress) => {
    await wrongKeys.requireRoom(clientAddress);
    // Digests have equal length, so the comparison takes the same time for every key.
    if (timingSafeEqual(Bun.SHA256.hash(given), expected)) return;
    await wrongKeys.countNetwork(clientAddress);
    throw createError();
  };
}

/**
 * Restricts the inbox to holders of the inbox key.
 * @throws DomainError inbox_not_configured, invalid_inbox_key or rate_limited
 */
export type RequireInboxKey = (request: Request, clientAddress: string) => Promise<void>;

const bearerPattern = /^bearer +(\S+) *$/i;

/** @param inboxKey INBOX_KEY; null rejects everybody */
export function createRequireInboxKey(inboxKey: string | null, wrongKeys: RateLimiter): RequireInboxKey {
  if (inboxKey === null) return () => Promise.reject(inboxNotConfigured());
  const requireKey = createKeyGate(inboxKey, wrongKeys, invalidInboxKey);
  return async (request, clientAddress) => {
    const given = bearerPattern.exec(request.headers.get('authorization') ?? '')?.[1];
    if (given === undefined) throw invalidInboxKey();
    await requireKey(given, clientAddress);
  };
}

function inboxNotConfigured(): DomainError {
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

/**
 * Restricts operator endpoints to holders of the operator key. An address never suffices: a proxy on the same machine
 * connects from loopback for everybody.
 * @throws DomainError missing_token, invalid_token, rate_limited, operator_only or not_allowed
 */
export type RequireOperator = (request: Request, clientAddress: string) => Promise<void>;

export function createRequireOperator(
  { settings: { operatorKey }, rules, clock }: Pick<ApiDeps, 'settings' | 'rules' | 'clock'>,
  wrongKeys: RateLimiter,
): RequireOperator {
  if (operatorKey === null) return () => Promise.reject(operatorPagesClosed());
  const requireKey = createKeyGate(operatorKey, wrongKeys, invalidOperatorKey);
  return async (request, clientAddress) => {
    const given = operatorKeyOf(request);
    if (given !== null) await requireKey(given, clientAddress);
    else if (!hasOperatorCookie(request, { operatorKey, baseUrl: rules.baseUrl, now: clock.now() }))
      throw operatorKeyMissing();
    if (!isCrossSiteWrite(request)) return;
    throw new DomainError('not_allowed', 'Pages from other sites cannot change the hub.', {
      hint: 'Open /admin/queues directly, or send the request from a program.',
    });
  };
}

function invalidOperatorKey(): DomainError {
  return new DomainError('invalid_token', 'The operator key is invalid.', {
    hint: 'Send the value of OPERATOR_KEY that the hub was started with, or of the file operator-key in its data folder.',
  });
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
