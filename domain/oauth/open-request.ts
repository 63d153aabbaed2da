/** Accepts an authorization request of a client, which then waits for consent. */
import { createId } from '#runtime/create-id.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { createSecret, hashSecret } from '../sessions/sessions.ts';
import type { OauthClient } from './client-metadata.ts';
import { requestLifetimeMs, stateLengthMax } from './oauth-limits.ts';
import { matchesRedirect } from './redirect-uris.ts';
import { requireResource } from './resources.ts';
import { readScopes } from './scopes.ts';

/** As sent; null if missing. */
export interface RequestParameters {
  readonly responseType: string | null;
  readonly scope: string | null;
  readonly state: string | null;
  readonly codeChallenge: string | null;
  readonly codeChallengeMethod: string | null;
  readonly resource: string | null;
}

/**
 * Errors of these two checks are shown to the person: nothing may be sent to an unchecked URI.
 * @param redirectUri as sent; a client with only one may omit it
 * @throws DomainError invalid_redirect_uri
 */
export function requireRedirect({ redirectUris }: OauthClient, redirectUri: string | null): string {
  const [only] = redirectUris;
  if (redirectUri === null && only !== undefined && redirectUris.length === 1) return only;
  if (redirectUri !== null && redirectUris.some((uri) => matchesRedirect(uri, redirectUri)))
    return redirectUri;
  throw new DomainError('invalid_redirect_uri', '`redirect_uri` is not one that this client has registered.');
}

/** The form of a SHA-256 in base64url (RFC 7636 section 4.2). */
const challengeForm = /^[A-Za-z0-9_-]{43}$/;

/**
 * @returns the secret of the consent page
 * @throws DomainError invalid_request, unsupported_response_type, invalid_scope, invalid_target
 */
export async function openRequest(
  ctx: Ctx,
  input: {
    readonly client: OauthClient;
    readonly redirectUri: string;
    readonly parameters: RequestParameters;
  },
): Promise<string> {
  const { client, redirectUri, parameters } = input;
  const { responseType, codeChallenge, codeChallengeMethod, state } = parameters;
  if (responseType === null) throw invalidRequest('`response_type` is missing; it must be `code`.');
  if (responseType !== 'code') {
    throw new DomainError('unsupported_response_type', '`response_type` must be `code`.');
  }
  if (codeChallenge === null || !challengeForm.test(codeChallenge)) {
    throw invalidRequest('`code_challenge` must be the SHA-256 of the verifier in base64url (RFC 7636).');
  }
  if (codeChallengeMethod !== 'S256') throw invalidRequest('`code_challenge_method` must be `S256`.');
  if (state !== null && state.length > stateLengthMax) {
    throw invalidRequest(`\`state\` must have at most ${stateLengthMax} characters.`);
  }
  requireResource(ctx.rules.baseUrl, parameters.resource);
  const scopes = readScopes(parameters.scope);
  return withTransaction(ctx, async ({ db, clock }) => {
    const now = clock.now();
    const secret = createSecret();
    await db.query.insert(db.tables.oauthRequests).values({
      id: createId(now),
      requestHash: hashSecret(secret),
      clientId: client.id,
      clientName: client.name,
      redirectUri,
      scopes,
      state: state === null ? null : state.toWellFormed().replaceAll('\0', ''),
      codeChallenge,
      createdAt: now,
      expiresAt: new Date(now.getTime() + requestLifetimeMs),
    });
    return secret;
  });
}

export function invalidRequest(message: string): DomainError {
  return new DomainError('invalid_request', message);
}
