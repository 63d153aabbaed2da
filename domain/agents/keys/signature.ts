/**
 * Parses and verifies Ed25519 signatures. The runtime's own verifier is not strict enough: it accepts forged
 * signatures under keys of small order and does not reject non-canonical keys.
 */
import { createHash, createPublicKey, verify as verifyNatively } from 'node:crypto';
import { hashes, verify } from '@noble/ed25519';
import { decodeCanonicalBase64, publicKeyBytes } from './public-key.ts';

/** An encoded point R followed by the scalar S (RFC 8032, section 5.1.6). */
const signatureBytes = 64;

// The library has no synchronous SHA-512 of its own. The runtime's is native code.
hashes.sha512 = (message) => new Uint8Array(createHash('sha512').update(message).digest());

/**
 * Parses a signature from its 88 characters of canonical standard base64.
 *
 * @returns the 64 bytes, or `null` for any other text. R and S are not range-checked here; {@link
 * verifySignature} does that.
 */
export function parseSignature(text: string): Uint8Array | null {
  return decodeCanonicalBase64(text, signatureBytes);
}

/**
 * Verifies an Ed25519 signature of `message` under `publicKey`, by RFC 8032, section 5.1.7.
 *
 * S must be below the group order L (so that no second signature can be derived from a valid one), R and the
 * key must be canonical encodings of points on the curve, and a key of small order never verifies. The
 * equation is the cofactored one of the RFC: `[8][S]B = [8]R + [8][k]A`.
 *
 * Takes about a millisecond. Inputs of the wrong length return `false`.
 */
export function verifySignature(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== signatureBytes || publicKey.length !== publicKeyBytes) return false;
  // By default the library follows ZIP 215, which accepts non-canonical and small-order keys.
  return verify(signature, message, publicKey, { zip215: false });
}

/** What precedes the 32 bytes of a key in its SPKI document (RFC 8410, section 4). */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Whether {@link verifySignature} is worth its time: the runtime's own verifier takes a twentieth of it, so one signature
 * can be checked against many messages. It accepts every signature that RFC 8032 makes, and some forgeries.
 *
 * @param publicKey a point of the curve
 */
export function mayBeSigned(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  const der = Buffer.concat([spkiPrefix, publicKey]);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return verifyNatively(null, message, key, signature);
}
