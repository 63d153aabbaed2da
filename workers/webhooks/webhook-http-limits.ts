/** What a receiver may take of us: it says yes or no, and has nothing to tell. */
import type { GuardedHttpLimits } from '#runtime/guarded-http/limits.ts';

export const webhookHttpLimits = {
  answerTimeoutMs: 10_000,
  maxBodyBytes: 16 * 1024,
} as const satisfies Partial<GuardedHttpLimits>;
