/**
 * Known advisories of production packages that we accept for a limited time. After `until` the check fails
 * again.
 */

export interface AcceptedAdvisory {
  /** The last part of the advisory's URL, such as `GHSA-xxxx-xxxx-xxxx`. */
  readonly id: string;
  /** The last day, as `2026-12-31`. */
  readonly until: string;
  /** Why it cannot be exploited in a hub, or why there is no fix yet. */
  readonly reason: string;
}

export const acceptedAdvisories: readonly AcceptedAdvisory[] = [];
