/**
 * Advisories of packages in production that we know of and live with for a while. Each says why, and until when: past
 * that day the check fails again.
 */

export interface AcceptedAdvisory {
  /** The last part of its address, such as `GHSA-xxxx-xxxx-xxxx`. */
  readonly id: string;
  /** The last day, as `2026-12-31`. */
  readonly until: string;
  /** Why it cannot be used against a hub, or why there is no way around it yet. */
  readonly reason: string;
}

export const acceptedAdvisories: readonly AcceptedAdvisory[] = [];
