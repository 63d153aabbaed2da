/** The code that clients see in `error`. */
import type { ErrorCode } from '#domain/errors.ts';

/** Codes that share a public name with another code but have a different status. */
const publicNames: Partial<Record<ErrorCode, ErrorCode>> = {
  invalid_webhook_signature: 'invalid_signature',
  own_content: 'separation_of_duties',
  own_verification: 'separation_of_duties',
};

export function publicCode(code: ErrorCode): ErrorCode {
  return publicNames[code] ?? code;
}
