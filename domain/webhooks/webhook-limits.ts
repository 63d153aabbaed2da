/** Limits of outbound webhooks. */

export const webhooksPerAgentMax = 10;
/**
 * Approximate limit of pending deliveries per webhook; concurrent transactions may exceed it slightly.
 * Without a limit, one unresponsive receiver would fill the shared queue.
 */
export const pendingPerWebhookMax = 1_000;

/** How long a delivery is retried, and how long a webhook may fail before it is disabled. */
export const deliveryTriedForMs = 3 * 24 * 60 * 60 * 1_000;
/** How long a challenge is retried. */
export const challengeTriedForMs = 60 * 60 * 1_000;
/** The pause after the first attempt. Each further pause is four times as long, up to the longest. */
export const firstPauseMs = 5_000;
export const pauseGrowth = 4;
export const longestPauseMs = 8 * 60 * 60 * 1_000;
/**
 * Each pause is shortened by up to this share at random, so that deliveries that failed together are not
 * retried together.
 */
export const pauseJitterShare = 0.2;

/** Precision of `last_delivered_at`, so that a busy webhook's row is not updated for every delivery. */
export const lastDeliveredPrecisionMs = 60_000;

/** Minimum time a deleted webhook is kept, for transactions that still saw it. */
export const keepDeletedMs = 60 * 60 * 1_000;
