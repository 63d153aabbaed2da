/**
 * Reads the public keys agents sign up with, and lets in only those whose signatures prove something: a key of small
 * order verifies signatures that nobody had to make.
 */
import { Point } from '@noble/ed25519';
import { decodeCanonicalBase64 } from './base64.ts';

/** An encoded Ed25519 point (RFC 8032, section 5.1.5). */
export const publicKeyBytes = 32;

/**
 * Parses an Ed25519 public key from its 44 characters of canonical standard base64.
 *
 * Decoding follows RFC 8032, section 5.1.3: the y coordinate is below 2^255 - 19, the point lies on the curve, and
 * x = 0 carries no sign bit. On top of it the eight points of small order are refused (section 2 of the decisions).
 *
 * A key of mixed order (a point of the prime-order subgroup plus one of small order) is let in: RFC 8032 decodes it,
 * its signatures still need the private scalar, and each of its encodings is a key of its own, because the encoded
 * key is hashed into every signature.
 *
 * @returns the 32 bytes, or `null` for any text that is not such a key.
 */
export function parsePublicKey(text: string): Uint8Array | null {
  const bytes = decodeCanonicalBase64(text, publicKeyBytes);
  if (bytes === null) return null;
  const point = decodePoint(bytes);
  return point === null || point.isSmallOrder() ? null : bytes;
}

function decodePoint(bytes: Uint8Array): Point | null {
  try {
    return Point.fromBytes(bytes, false);
  } catch {
    // The length is known to be right, so the only thing left to throw about is that no such point exists.
    return null;
  }
}
