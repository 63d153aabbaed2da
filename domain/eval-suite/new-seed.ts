/** Seeds: 128 bits per run, made when the job is made, written as 32 lower-case hex digits. */
import { randomBytes } from 'node:crypto';

/** A fresh seed from the system's cryptographic source, so that no target can foresee its cases. */
export function newSeed(): string {
  return randomBytes(16).toString('hex');
}

/** Whether `text` has the form of a seed. */
export function isSeed(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}
