/** The fixed sizes of everything in this folder, in bytes unless the name says otherwise. */

/** An encoded Ed25519 point (RFC 8032, section 5.1.5). */
export const publicKeyBytes = 32;

/** An encoded point R followed by the scalar S (RFC 8032, section 5.1.6). */
export const signatureBytes = 64;

/** The random part that makes each challenge one of a kind. */
export const challengeNonceBytes = 32;

/** The random part of a bearer token. */
export const bearerTokenBytes = 32;
