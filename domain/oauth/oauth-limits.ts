/** The limits of OAuth. Lengths are in characters. */

/** How long a request waits for consent. */
export const requestLifetimeMs = 10 * 60 * 1_000;
export const codeLifetimeMs = 2 * 60 * 1_000;
export const accessTokenLifetimeMs = 60 * 60 * 1_000;
/** How long a client that presents the same code or refresh token again gets the same tokens. */
export const repeatWithinMs = 30 * 1_000;
/** Further refreshes end the oldest access tokens of the grant before their time. */
export const replacedTokensMax = 20;
/** Each use of a refresh token starts it again. */
export const refreshTokenLifetimeMs = 30 * 24 * 60 * 60 * 1_000;

export const clientIdLengthMax = 500;
export const clientNameLengthMax = 100;
export const redirectUriLengthMax = 500;
export const redirectUrisMax = 20;
export const stateLengthMax = 2_000;
/** Longer lists of scopes are rejected. */
export const scopeLengthMax = 500;

/** A registered client that no agent has approved is deleted after this time. */
export const keepUnusedClientsMs = 24 * 60 * 60 * 1_000;
/** Longer than any of its grants lives without use. */
export const keepUsedClientsMs = 90 * 24 * 60 * 60 * 1_000;
/** A code that is sent again within this time revokes what it gave. */
export const keepRequestsMs = 24 * 60 * 60 * 1_000;
export const prunedAtOnceMax = 1_000;
