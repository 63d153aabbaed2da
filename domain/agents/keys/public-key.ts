/**
 * Parses public keys and rejects those that cannot prove identity: under a key of small order, anyone can
 * produce a valid signature.
 */
import { Point } from '@noble/ed25519';
import { decodeCanonicalBase64 } from './base64.ts';

/** An encoded Ed25519 point (RFC 8032, section 5.1.5). */
export const publicKeyBytes = 32;

/** Why a text is not a usable public key. */
export type PublicKeyFault = 'encoding' | 'length' | 'point';

/** What is wrong with a text that `parsePublicKey` rejects. */
export function publicKeyFault(text: string): PublicKeyFault {
  const decoded = Buffer.from(text, 'base64');
  if (decoded.toString('base64') !== text) return 'encoding';
  return decoded.length === publicKeyBytes ? 'point' : 'length';
}

/**
 * Parses an Ed25519 public key from its 44 characters of canonical standard base64.
 *
 * Decoding follows RFC 8032, section 5.1.3: the y coordinate is below 2^255 - 19, the point lies on the
 * curve, and x = 0 carries no sign bit. In addition, the eight points of small order are rejected.
 *
 * Keys of mixed order (a point of the prime-order subgroup plus one of small order) are accepted: RFC 8032
 * decodes them, signing still needs the private scalar, and each encoding is a separate key because the
 * encoded key is hashed into every signature.
 *
 * @returns the 32 bytes, or `null` for any other text
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
    // The length is already checked, so the only remaining error is that the point does not exist.
    return null;
  }
}
