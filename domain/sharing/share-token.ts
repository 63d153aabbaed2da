/** The secret in the link of a shared run: its id, and a code that only the hub's secret key can produce. */
import { createHmac, timingSafeEqual } from 'node:crypto';

const idBytes = 16;
const codeBytes = 16;

/** @returns 43 characters of base64url */
export function shareTokenOf(shareId: string, secretKey: string): string {
  const id = Buffer.from(shareId.replaceAll('-', ''), 'hex');
  return Buffer.concat([id, codeOf(shareId, secretKey)]).toString('base64url');
}

/** The id in a token, whoever made it; null if it has none. */
export function shareIdOf(token: string): string | null {
  const bytes = Buffer.from(token, 'base64url');
  // A decoder ignores spare bits of the last character, so several texts would name one share.
  if (bytes.length !== idBytes + codeBytes || bytes.toString('base64url') !== token) return null;
  const hex = bytes.subarray(0, idBytes).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** @returns the id of the share; null for a token that this hub did not create */
export function readShareToken(token: string, secretKey: string): string | null {
  const id = shareIdOf(token);
  if (id === null) return null;
  const code = Buffer.from(token, 'base64url').subarray(idBytes);
  return timingSafeEqual(code, codeOf(id, secretKey)) ? id : null;
}

function codeOf(shareId: string, secretKey: string): Buffer {
  return createHmac('sha256', secretKey).update(`shared run ${shareId}`).digest().subarray(0, codeBytes);
}
