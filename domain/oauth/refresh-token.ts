/**
 * Refresh tokens: the secret of the grant, which all its refresh tokens share, and a secret of this token. The hub keeps
 * a hash of each. A token with the right first secret and another second one was used before.
 */
import { createSecret, hashSecret } from '../sessions/sessions.ts';

const prefix = 'hubr_';
const form = /^hubr_([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})$/;

export function createRefreshToken(family: string = createSecret()): {
  readonly token: string;
  readonly familyHash: string;
  readonly refreshHash: string;
} {
  const secret = createSecret();
  return {
    token: `${prefix}${family}.${secret}`,
    familyHash: hashSecret(family),
    refreshHash: hashSecret(secret),
  };
}

/** Null for a text that is no refresh token. */
export function parseRefreshToken(
  token: string,
): { readonly family: string; readonly familyHash: string; readonly refreshHash: string } | null {
  const [, family, secret] = form.exec(token) ?? [];
  if (family === undefined || secret === undefined) return null;
  return { family, familyHash: hashSecret(family), refreshHash: hashSecret(secret) };
}
