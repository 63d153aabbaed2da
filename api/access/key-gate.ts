/**
 * Guards what opens with one key that the operator gave out. Wrong keys are counted by network: a key that people
 * choose can be guessed, unlike the tokens that the hub makes.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { DomainError } from '#domain/errors.ts';
import type { RateLimiter } from './rate-limits.ts';

export interface KeyGateOptions {
  /** As the operator set it. */
  readonly key: string;
  /** Counts wrong keys; null when they are not limited. */
  readonly wrongKeys: RateLimiter | null;
  /** What a wrong key is told. */
  readonly createError: () => DomainError;
}

/** @throws DomainError the refusal, or rate_limited to a network that sent too many wrong keys, whatever it sends now */
export type KeyGate = (given: string, clientAddress: string) => Promise<void>;

export function createKeyGate({ key, wrongKeys, createError }: KeyGateOptions): KeyGate {
  const expected = digest(key);
  return async (given, clientAddress) => {
    await wrongKeys?.requireRoom(clientAddress);
    // Digests have one length, and comparing them takes as long for every key.
    if (timingSafeEqual(digest(given), expected)) return;
    await wrongKeys?.countNetwork(clientAddress);
    throw createError();
  };
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
