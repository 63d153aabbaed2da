/**
 * Base64 as keys and signatures are sent: one spelling for each byte string and no other, so that a key cannot be
 * registered twice under two texts and a stored text can be compared as it is.
 */

/**
 * Decodes canonical standard base64 (RFC 4648, section 4) of exactly `byteLength` bytes.
 *
 * @returns the bytes, or `null` when the text is anything but the one canonical spelling: another length, the URL-safe
 * alphabet, white space, missing or surplus padding, or bits set in the unused tail of the last character.
 */
export function decodeCanonicalBase64(text: string, byteLength: number): Uint8Array | null {
  // A text of any size may come in; one of another length is not worth decoding.
  if (text.length !== Math.ceil(byteLength / 3) * 4) return null;
  // The decoder skips what it does not know and stops where it likes; encoding again shows whether it left anything out.
  const decoded = Buffer.from(text, 'base64');
  if (decoded.length !== byteLength || decoded.toString('base64') !== text) return null;
  // A Buffer is no plain byte array (its slices share memory), so the caller gets one that is.
  return new Uint8Array(decoded);
}
