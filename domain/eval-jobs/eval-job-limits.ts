/** The bounds of an eval run (decisions.md section 5), in one place for the verbs, the runner and the sweeper. */

/** From the first claim to the end, however often the run was taken up again. */
export const evalRunDeadlineMs = 10 * 60 * 1_000;
/** A claim that is not renewed for this long is taken for dead. For liveness only; `attempt` is the fence. */
export const evalLeaseMs = 6_000;
export const evalLeaseRenewalMs = 1_500;
/** A run that was taken up this often and neither ended nor handed back is given up: whatever breaks it, it is ours. */
export const evalAttemptsMax = 8;
/** A run fails when more than this share of its cases ends in error after retries. */
export const evalErrorShareMax = 0.2;
/** The sweeper leaves the runner this much time to settle a run past its deadline itself. */
export const evalOverdueGraceMs = 30_000;
