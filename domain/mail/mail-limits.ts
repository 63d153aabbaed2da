/** Retry policy of each kind of mail, and how long mail is kept. */
import type { MailKind } from '#db/schema/mail-tables.ts';

export interface MailPolicy {
  readonly triesMax: number;
  /** Counted from when the mail is enqueued. No attempt starts later. */
  readonly giveUpAfterMs: number;
  /** For one attempt, from connecting to the transport's last reply. */
  readonly tryTimeoutMs: number;
}

export const mailPolicies: Readonly<Record<MailKind, MailPolicy>> = {
  // The caller waits for the outcome and retries itself; a second attempt here could deliver the message
  // twice.
  contact: { triesMax: 1, giveUpAfterMs: 8_000, tryTimeoutMs: 8_000 },
  // With the pauses below, 18 attempts would take longer than this time, so it is always the time that ends them.
  notice: { triesMax: 18, giveUpAfterMs: 3 * 24 * 60 * 60 * 1_000, tryTimeoutMs: 30_000 },
};

const pauses = { firstMs: 30_000, growth: 4, mostMs: 6 * 60 * 60 * 1_000 };

/** The pause after an attempt; the first attempt is 1. */
export function pauseAfterTryMs(attempt: number): number {
  return Math.min(pauses.firstMs * pauses.growth ** (attempt - 1), pauses.mostMs);
}

/** A worker that is silent for this long after its attempt timed out counts as dead. */
export const tryMarginMs = 5_000;

/** Mail that was sent or has failed is deleted after this long, including its text and addresses. */
export const keepEndedMailsMs = 24 * 60 * 60 * 1_000;

/** In code points. Longer subjects could be folded, but nobody reads them. */
export const subjectLengthMax = 200;
/** In code points. */
export const textLengthMax = 20_000;
/** How much of the transport's error message is kept. */
export const failureLengthMax = 500;
