/** How often, and for how long, mail of each kind is tried, and how long it is kept. */
import type { MailKind } from '#db/schema/mail-tables.ts';

export interface MailPolicy {
  readonly triesMax: number;
  /** From the promise of the mail on; no try begins later. */
  readonly giveUpAfterMs: number;
  /** For one try, from connecting to the transport's last word. */
  readonly tryTimeoutMs: number;
}

export const mailPolicies: Readonly<Record<MailKind, MailPolicy>> = {
  // Somebody waits for the answer, and will try again; a second try of ours might deliver the message twice.
  contact: { triesMax: 1, giveUpAfterMs: 8_000, tryTimeoutMs: 8_000 },
  // With the pauses below, 16 tries take about three days.
  notice: { triesMax: 16, giveUpAfterMs: 3 * 24 * 60 * 60 * 1_000, tryTimeoutMs: 30_000 },
};

const pauses = { firstMs: 30_000, growth: 4, mostMs: 6 * 60 * 60 * 1_000 };

/** The pause after the given try, the first of which is 1. */
export function pauseAfterTryMs(attempt: number): number {
  return Math.min(pauses.firstMs * pauses.growth ** (attempt - 1), pauses.mostMs);
}

/** A try whose worker is silent for this much longer than it may take has died with its worker. */
export const tryMarginMs = 5_000;

/** Mail that was sent or given up is forgotten after this long, with all that is in it. */
export const keepEndedMailsMs = 24 * 60 * 60 * 1_000;
export const mailsPrunedAtOnceMax = 1_000;

/** In code points; the composer folds longer ones, but nobody reads them. */
export const subjectLengthMax = 200;
/** In code points. */
export const textLengthMax = 20_000;
/** What is kept of the transport's words. */
export const failureLengthMax = 500;
