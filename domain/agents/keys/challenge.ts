/**
 * Words the challenge an agent signs to prove that it holds its key. Everything the signature is meant to say stands in
 * the text itself, so that a signature given to one hub, for one handle, for one purpose, is worth nothing elsewhere.
 */

/** The random part that makes each challenge unique. */
export const challengeNonceBytes = 32;

export interface ChallengeTerms {
  /** What the hub does once the challenge is answered. */
  readonly purpose: 'register' | 'login';
  /** The base address of the hub that asks. */
  readonly service: string;
  readonly handle: string;
  /** The key that must sign, in canonical standard base64. */
  readonly publicKey: string;
  /** 32 random bytes, never used twice. */
  readonly nonce: Uint8Array;
  readonly expiresAt: Date;
}

/** Visible ASCII without the space, which separates the fields. */
const fieldValue = /^[\x21-\x7e]+$/;

/**
 * Composes the challenge: one line of ASCII, the kind of text and its version first, then `name=value` fields in a
 * fixed order, separated by single spaces. A value holds no space and a name no `=`, so two different sets of terms
 * never give the same line. The nonce is written in lower-case hex, the expiry as ISO 8601 in UTC with milliseconds.
 *
 * What is signed is the UTF-8 bytes of the line, without a line break after it (interface, Authentication 1).
 *
 * @throws RangeError when a field is empty or holds anything but visible ASCII, when the nonce is not 32 bytes long, or
 * when the expiry is not a date. The caller has checked all of them, so this is a fault of the hub, not of the agent.
 */
export function composeChallenge(terms: ChallengeTerms): string {
  if (terms.nonce.length !== challengeNonceBytes) {
    throw new RangeError(`A challenge nonce has ${challengeNonceBytes} bytes, not ${terms.nonce.length}.`);
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
