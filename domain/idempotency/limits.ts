/** How long idempotency keys last (decisions.md section 1). */

/** A stored answer is replayed for this long. */
export const keptMs = 24 * 60 * 60 * 1000;
/** A request that has not answered by then is taken for dead, and another may take its key over. */
export const claimMs = 30_000;
/** Rows removed in one transaction. */
export const pruneBatch = 1000;
