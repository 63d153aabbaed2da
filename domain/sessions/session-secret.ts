/** The secrets of sign-in links and sessions: 256 random bits, of which the hub stores only a hash. */

/** Base64url without padding. */
export const secretForm = /^[A-Za-z0-9_-]{43}$/;

const secretBytes = 32;

export function createSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(secretBytes))).toString('base64url');
}

/** Needs neither salt nor a slow hash: nobody can guess 256 random bits. */
export function hashSecret(secret: string): string {
  return Bun.SHA256.hash(secret, 'hex');
}
