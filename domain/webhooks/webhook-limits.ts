/** Every limit of outbound webhooks (decisions.md section 8). */

export const webhooksPerAgentMax = 10;
/**
 * Deliveries that wait for one webhook, give or take those promised at the same moment. Without a bound, a receiver that
 * takes nothing would fill the queue of all.
 */
export const pendingPerWebhookMax = 1_000;

/** How long a delivery is tried, and how long a webhook may take nothing before it is disabled. */
export const deliveryTriedForMs = 3 * 24 * 60 * 60 * 1_000;
/** After the first try; each further pause is four times as long, up to the longest. */
export const firstPauseMs = 5_000;
export const pauseGrowth = 4;
export const longestPauseMs = 8 * 60 * 60 * 1_000;
/** Each pause is cut by up to this share at random, so that what failed together does not come back together. */
export const pauseJitterShare = 0.2;

/** How exactly `last_delivered_at` is kept, so that a busy webhook is not written for each delivery. */
export const lastDeliveredPrecisionMs = 60_000;

/** How long a delivery that has ended stays in the log. */
export const keepDeliveriesMs = 7 * 24 * 60 * 60 * 1_000;
export const deliveriesPrunedAtOnceMax = 1_000;
/** How long a deleted webhook stays at least, for transactions that have seen it alive. */
export const keepDeletedMs = 60 * 60 * 1_000;
export const webhooksPrunedAtOnceMax = 100;
