/**
 * The secret headers of a run's target, encrypted with a key derived from SECRET_KEY (AES-256-GCM). They are erased
 * when the run ends.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

export function encryptHeaders(secretKey: string, headers: Readonly<Record<string, string>>): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, keyFrom(secretKey), nonce);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(headers), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** @throws Error if SECRET_KEY has changed since */
export function decryptHeaders(secretKey: string, sealed: string): Record<string, string> {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(algorithm, keyFrom(secretKey), bytes.subarray(0, nonceBytes));
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  const text = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
  // The text comes from `encryptHeaders`, and the authentication tag proves that it is unchanged.
  return JSON.parse(text.toString('utf8')) as Record<string, string>;
}

/** The label separates this from other keys derived from SECRET_KEY. */
function keyFrom(secretKey: string): Buffer {
  return createHmac('sha256', secretKey).update('headers of eval targets').digest();
}
