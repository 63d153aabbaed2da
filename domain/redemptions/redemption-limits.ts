/** The limits of redemptions (decisions.md section 5). */

export const evalRunCostTokens = 1;
export const openJobsPerAgentMax = 5;
/** A refunded run costs the hub work and the agent nothing, so only so many are taken within the window. */
export const refundedRunsPerAgentMax = 10;
export const refundedRunsWindowMs = 24 * 60 * 60 * 1_000;
/** What a caller with too many open jobs is told to wait before it asks again. */
export const openJobsRetryAfterSeconds = 5;
