/**
 * Checks a single shared key that the operator chose. Wrong keys are counted per network: unlike the tokens
 * that the hub generates, a key chosen by a person can be guessed.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { DomainError } from '#domain/errors.ts';
import type { RateLimiter } from './rate-limits.ts';

export interface KeyGateOptions {
  readonly key: string;
  /** Counts wrong keys; null disables the limit. */
  readonly wrongKeys: RateLimiter | null;
  /** The error for a wrong key. */
  readonly createError: () => DomainError;
}

/**
 * @throws DomainError the error for a wrong key, or rate_limited once the network has sent too many, even for
 * the right key
 */
export type KeyGate = (given: string, clientAddress: string) => Promise<void>;

export function createKeyGate({ key, wrongKeys, createError }: KeyGateOptions): KeyGate {
  const expected = digest(key);
  return async (given, clientAddress) => {
    await wrongKeys?.requireRoom(clientAddress);
    // Digests have equal length, so the comparison takes the same time for every key.
    if (timingSafeEqual(digest(given), expected)) return;
    await wrongKeys?.countNetwork(clientAddress);
    throw createError();
  };
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
