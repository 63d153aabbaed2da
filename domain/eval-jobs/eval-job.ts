/** The bounds of an eval run, for the verbs, the runner and the sweeper, and its signal topic. */

/** From the first claim to the end, over all attempts. */
export const evalRunDeadlineMs = 10 * 60 * 1_000;
/** A runner that does not renew its claim for this long counts as dead. For liveness only: `attempt` is the fence. */
export const evalLeaseMs = 6_000;
export const evalLeaseRenewalMs = 1_500;
/** After this many attempts that neither ended nor were handed back, the run fails: the fault is the hub's. */
export const evalAttemptsMax = 8;
/** A run fails when more than this share of its cases ends in error after retries. */
export const evalErrorShareMax = 0.2;
/** The sweeper leaves the runner this long to settle an overdue run itself. */
export const evalOverdueGraceMs = 30_000;

/** Signalled on every change of the eval job. */
export function evalJobTopic(evalJobId: string): string {
  return `eval-job.${evalJobId}`;
}
