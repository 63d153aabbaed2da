import { DomainError } from '../errors.ts';
import { parseSignature } from './keys/signature.ts';

/**
 * @param field of the body, for the message
 * @throws DomainError invalid_signature_encoding
 */
export function readSignature(field: string, text: string): Uint8Array {
  const signature = parseSignature(text);
  if (signature !== null) return signature;
  throw new DomainError(
    'invalid_signature_encoding',
    `\`${field}\` must be an Ed25519 signature: 64 bytes as 88 characters of standard base64, including padding.`,
    { hint: 'Send the raw 64 bytes, in the alphabet with `+` and `/`, not hex.' },
  );
}
