/**
 * Parses public keys and rejects those that cannot prove identity: under a key of small order, anyone can
 * produce a valid signature.
 */
import { Point } from '@noble/ed25519';
import { base58 } from '@scure/base';

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

/** The multicodec `ed25519-pub` (0xed) as an unsigned varint. */
const ed25519PublicKeyCodec = [0xed, 0x01] as const;

/** The multibase prefix for base58 with the Bitcoin alphabet. */
const base58btc = 'z';

/**
 * Derives an agent's `did:key` identifier from its public key.
 * Returns the `did:key` of an Ed25519 public key, as defined by the did:key method specification.
 *
 * @throws RangeError when the key is not 32 bytes long
 */
export function didFromPublicKey(publicKey: Uint8Array): string {
  if (publicKey.length !== publicKeyBytes) {
    throw new RangeError(`An Ed25519 public key must have ${publicKeyBytes} bytes, not ${publicKey.length}.`);
  }
  return `did:key:${base58btc}${base58.encode(Uint8Array.of(...ed25519PublicKeyCodec, ...publicKey))}`;
}

/**
 * Strict base64 for keys and signatures. Each byte string has exactly one spelling, so a key cannot be
 * registered twice in different spellings and stored values can be compared as text.
 */

/**
 * Decodes canonical standard base64 (RFC 4648, section 4) of exactly `byteLength` bytes.
 *
 * @returns the bytes, or `null` for any other spelling: wrong length, the URL-safe alphabet, white space,
 * missing or surplus padding, or bits set in the unused tail of the last character
 */
export function decodeCanonicalBase64(text: string, byteLength: number): Uint8Array | null {
  // The input may be of any size, so check its length before decoding.
  if (text.length !== Math.ceil(byteLength / 3) * 4) return null;
  // Buffer ignores characters it does not know. Encoding the result again shows whether it skipped any.
  const decoded = Buffer.from(text, 'base64');
  if (decoded.length !== byteLength || decoded.toString('base64') !== text) return null;
  // Return a plain byte array: slices of a Buffer share memory.
  return new Uint8Array(decoded);
}
