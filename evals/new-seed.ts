import { randomBytes } from 'node:crypto';

/**
 * 128 bits from the system's cryptographic source as 32 lower-case hex digits, so that no target can predict
 * its cases.
 */
export function newSeed(): string {
  return randomBytes(16).toString('hex');
}
