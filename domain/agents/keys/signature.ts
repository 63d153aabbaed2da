/**
 * Reads and checks the Ed25519 signatures with which agents answer a challenge. The runtime's own verifier is not
 * used: it accepts forged signatures under keys of small order and leaves non-canonical keys alone.
 */
import { createHash } from 'node:crypto';
import { hashes, verify } from '@noble/ed25519';
import { decodeCanonicalBase64 } from './base64.ts';
import { publicKeyBytes } from './public-key.ts';

/** An encoded point R followed by the scalar S (RFC 8032, section 5.1.6). */
const signatureBytes = 64;

// The library brings no synchronous SHA-512 of its own and asks for one here; the runtime's is native code.
hashes.sha512 = (message) => new Uint8Array(createHash('sha512').update(message).digest());

/**
 * Parses a signature from its 88 characters of canonical standard base64.
 *
 * @returns the 64 bytes, or `null` for any other text. Whether R and S are in range is for {@link verifySignature} to
 * say: such a signature is well encoded and wrong.
 */
export function parseSignature(text: string): Uint8Array | null {
  return decodeCanonicalBase64(text, signatureBytes);
}

/**
 * Tells whether `signature` is a valid Ed25519 signature of `message` under `publicKey`, by RFC 8032, section 5.1.7.
 *
 * S must be below the group order L (so that no second signature can be derived from a first), R and the key must be
 * canonical encodings of points on the curve, and a key of small order never verifies anything. The equation is the
 * one the RFC states, with the cofactor: `[8][S]B = [8]R + [8][k]A`.
 *
 * Takes about a millisecond. Bytes of a wrong length are `false` rather than an error.
 */
export function verifySignature(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== signatureBytes || publicKey.length !== publicKeyBytes) return false;
  // Without this option the library follows ZIP 215, which takes non-canonical and small-order keys.
  return verify(signature, message, publicKey, { zip215: false });
}
