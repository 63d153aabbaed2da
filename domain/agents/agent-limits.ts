/** Limits of sign-up, profiles and bearer tokens. */

/** Text lengths are in code points. */
export const bioLengthMax = 500;
export const siteLengthMax = 200;

/**
 * Valid as handles, but `/v1/agents/{handle}` could never show such an agent: these paths are the sign-up
 * steps. `closed-agent` stands for closed accounts.
 */
export const reservedHandles: ReadonlySet<string> = new Set(['closed-agent', 'login', 'register', 'verify']);

/** The newest, of an agent that has replaced its key more often. */
export const formerDidsMax = 20;

/** How long a challenge stays valid. */
export const challengeLifetimeSeconds = 600;

/**
 * Anyone may request a login, and nothing that a stranger does may keep the agent out. So this many login challenges of a
 * handle are open with enough time left to sign; a further request gets the one of them that was returned least recently.
 */
export const openLoginsMax = 64;
export const loginReuseSecondsMin = 300;

/**
 * How many open and closed challenges a signature is checked against: every login that can be open, those with less time
 * left included, and a registration. Each check takes less than a tenth of a millisecond.
 */
export const openChallengesTriedMax = 2 * openLoginsMax + 1;
export const closedChallengesTriedMax = 64;

/**
 * Closed challenges are kept this long, so that a late signature gets `challenge_expired` instead of
 * `unknown_handle`.
 */
export const keepClosedChallengesMs = 24 * 60 * 60 * 1_000;

/**
 * Maximum number of valid bearer tokens per agent. Issuing one more revokes the least recently used token.
 * Refusing instead would lock out an agent that has lost all its tokens, because revoking needs a token.
 */
export const liveTokensMax = 100;

/** Revoked tokens are kept this long so that a leak can be investigated. */
export const keepRevokedTokensMs = 30 * 24 * 60 * 60 * 1_000;
