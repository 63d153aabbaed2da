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
