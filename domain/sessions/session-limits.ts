/** The limits of sign-in links and sessions. */

export const linkLifetimeMs = 5 * 60 * 1_000;
export const linksPerHourMax = 5;
export const linkWindowMs = 60 * 60 * 1_000;
export const sessionLifetimeMs = 14 * 24 * 60 * 60 * 1_000;
/** Another session ends the oldest one. */
export const sessionsPerAgentMax = 20;
/** The precision of `last_used_at`. */
export const lastUseExactToMs = 5 * 60 * 1_000;
/** Longer user agents are truncated. */
export const userAgentLengthMax = 200;
