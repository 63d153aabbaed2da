/**
 * The tokens of a grant. They follow from what the client presented, a code with its verifier or a refresh token, and from
 * a salt in the store. So a client whose response was lost, or that asked twice at once, gets the same tokens again, and
 * the hub keeps only hashes. Neither the presented secret nor the store is enough to compute them.
 */
import { hkdfSync } from 'node:crypto';
import type { BearerTokenRow, GrantColumns } from '../agents/bearer-tokens.ts';
import { createBearerToken, hashBearerToken } from '../agents/token-bearers.ts';
import { invariant } from '../errors.ts';
import { createSecret, hashSecret } from '../sessions/sessions.ts';
import { accessTokenLifetimeMs, refreshTokenLifetimeMs, repeatWithinMs } from './oauth-limits.ts';
import type { Scope } from './scopes.ts';

const prefix = 'hubr_';
const form = /^hubr_([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})$/;
const secretBytes = 32;

export interface IssuedGrant {
  /** Both in clear; the hub stores only hashes. */
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
  readonly scopes: readonly Scope[];
}

type TokenColumns = Omit<GrantColumns, 'clientId' | 'clientName' | 'scopes'>;

/**
 * @param family the secret that the refresh tokens of the grant share; null for a new grant
 * @param scopes what the access token may do
 */
export function issueTokens(
  presented: string,
  family: string | null,
  now: Date,
  scopes: readonly Scope[],
): IssuedGrant & { readonly columns: TokenColumns } {
  const tokenSalt = createSecret();
  const tokens = tokensFrom(presented, tokenSalt, family);
  return {
    ...tokens,
    expiresInSeconds: accessTokenLifetimeMs / 1_000,
    scopes,
    columns: {
      accessScopes: scopes,
      ...hashesOf(tokens),
      expiresAt: new Date(now.getTime() + accessTokenLifetimeMs),
      refreshExpiresAt: new Date(now.getTime() + refreshTokenLifetimeMs),
      presentedHash: hashSecret(presented),
      tokenSalt,
      issuedAt: now,
    },
  };
}

/**
 * The tokens that the grant issued last, for a client that presents the same secret again within 30 seconds.
 * Null for another secret, or later.
 */
export function issueAgain(
  grant: BearerTokenRow,
  presented: string,
  family: string | null,
  now: Date,
): IssuedGrant | null {
  const { presentedHash, tokenSalt, issuedAt, expiresAt, accessScopes } = grant;
  const hash = hashSecret(presented);
  if (presentedHash !== hash) return null;
  invariant(tokenSalt !== null && issuedAt !== null && expiresAt !== null, 'A grant says how it was issued.');
  if (Math.abs(now.getTime() - issuedAt.getTime()) >= repeatWithinMs) return null;
  const tokens = tokensFrom(presented, tokenSalt, family);
  const isSame = Bun.deepEquals(hashesOf(tokens).tokenHash, grant.tokenHash);
  invariant(isSame, 'The same secret and salt give the same tokens.');
  const expiresInSeconds = Math.floor((expiresAt.getTime() - now.getTime()) / 1_000);
  return { ...tokens, expiresInSeconds, scopes: accessScopes ?? [] };
}

interface GrantTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

function tokensFrom(presented: string, salt: string, family: string | null): GrantTokens {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', presented, salt, use, secretBytes));
  const shared = family ?? derive('family').toString('base64url');
  return {
    accessToken: createBearerToken(derive('access')),
    refreshToken: `${prefix}${shared}.${derive('refresh').toString('base64url')}`,
  };
}

function hashesOf({ accessToken, refreshToken }: GrantTokens) {
  const parsed = parseRefreshToken(refreshToken);
  invariant(parsed !== null, 'The hub makes well-formed refresh tokens.');
  const { familyHash, refreshHash } = parsed;
  return { tokenHash: hashBearerToken(accessToken), familyHash, refreshHash };
}

/**
 * Reads the two secrets of a refresh token: the one of the grant, and the one of this token. A token with the right first
 * secret and another second one was used before. Null for a text that is no refresh token.
 */
export function parseRefreshToken(
  token: string,
): { readonly family: string; readonly familyHash: string; readonly refreshHash: string } | null {
  const [, family, secret] = form.exec(token) ?? [];
  if (family === undefined || secret === undefined) return null;
  return { family, familyHash: hashSecret(family), refreshHash: hashSecret(secret) };
}
