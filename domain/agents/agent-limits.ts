/** Every limit of sign-up, profiles and bearer tokens (interface.md "Limits"; decisions.md section 2). */

/** In code points, as all lengths of texts. */
export const bioLengthMax = 500;
export const siteLengthMax = 200;

/** Would be handles, but in `/v1/agents/{handle}` they name the steps of signing up, so that nobody could be shown there. */
export const reservedHandles: ReadonlySet<string> = new Set(['login', 'register', 'verify']);

/** How long a challenge can be answered. */
export const challengeLifetimeSeconds = 600;

/**
 * A login challenge that is open for at least this long is answered again instead of adding one. Anybody may ask for a
 * login, so this is what keeps a stranger from piling up challenges: at most two are open at a time.
 */
export const loginReuseSecondsMin = 300;

/** How many open and how many closed challenges a signature is tried against; each try costs a millisecond. */
export const openChallengesTriedMax = 4;
export const closedChallengesTriedMax = 2;

/** How long a challenge is remembered past its end, so that a late answer learns that it came late. */
export const keepClosedChallengesMs = 24 * 60 * 60 * 1_000;
export const challengesPrunedAtOnceMax = 1_000;

/**
 * How many bearer tokens of one agent are valid at a time. Issuing one more revokes the one whose last use, or else
 * making, is longest ago: refusing would lock out an agent that has lost all of them, as only a token can revoke one.
 */
export const liveTokensMax = 100;

/** How long the row of a revoked token is kept for whoever looks into a leak. */
export const keepRevokedTokensMs = 30 * 24 * 60 * 60 * 1_000;
