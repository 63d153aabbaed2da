/**
 * Composes the text an agent signs to prove that it holds its key. The text names the hub, the handle and the
 * purpose, so a signature cannot be replayed for another hub, agent or purpose.
 */

/** The random part that makes each challenge unique. */
export const challengeNonceBytes = 32;

export interface ChallengeTerms {
  /** What the signature is for. */
  readonly purpose: 'register' | 'login' | 'close' | 'rotate';
  /** The base URL of this hub. */
  readonly service: string;
  readonly handle: string;
  /** The key that must sign, in canonical base64. */
  readonly publicKey: string;
  /** 32 random bytes, never reused. */
  readonly nonce: Uint8Array;
  readonly expiresAt: Date;
}

/** Visible ASCII. A space separates the fields. */
const fieldValue = /^[\x21-\x7e]+$/;

/**
 * Composes one line of ASCII: the format and its version, then `name=value` fields in a fixed order,
 * separated by single spaces. Values contain no space and names no `=`, so different terms never give the
 * same line. The nonce is lower-case hex, the expiry ISO 8601 in UTC with milliseconds.
 *
 * The agent signs the UTF-8 bytes of the line without a trailing line break.
 *
 * @throws RangeError for an empty or non-ASCII field, a nonce that is not 32 bytes long or an invalid expiry.
 * Callers validate all of them, so this is a bug in the hub.
 */
export function composeChallenge(terms: ChallengeTerms): string {
  if (terms.nonce.length !== challengeNonceBytes) {
    throw new RangeError(
      `A challenge nonce must have ${challengeNonceBytes} bytes, not ${terms.nonce.length}.`,
    );
  }
  return [
    'agent-hub-challenge-v1',
    field('purpose', terms.purpose),
    field('service', terms.service),
    field('handle', terms.handle),
    field('public_key', terms.publicKey),
    field('nonce', Buffer.from(terms.nonce).toString('hex')),
    field('expires_at', terms.expiresAt.toISOString()),
  ].join(' ');
}

function field(name: string, value: string): string {
  if (!fieldValue.test(value)) {
    throw new RangeError(`The challenge field ${name} must be visible ASCII without spaces.`);
  }
  return `${name}=${value}`;
}
