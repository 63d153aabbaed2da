/** Exchanges a code for a grant: an access token and a refresh token (RFC 6749 section 4.1.3, RFC 7636, RFC 8707). */
import { and, eq, isNull } from 'drizzle-orm';
import { lockRows } from '#db/locks.ts';
import { issueGrantedToken } from '../agents/bearer-tokens.ts';
import { isSuspended } from '../agents/suspension.ts';
import { type Ctx, isAccountOpen, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { hashSecret } from '../sessions/sessions.ts';
import type { OauthRequestRow } from './decide-request.ts';
import { accessTokenLifetimeMs, refreshTokenLifetimeMs } from './oauth-limits.ts';
import { createRefreshToken } from './refresh-token.ts';
import { requireResource } from './resources.ts';
import { revokeGrant } from './revoke-grant.ts';
import type { Scope } from './scopes.ts';

export interface IssuedGrant {
  /** Both in clear; the hub stores only hashes. */
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
  readonly scopes: readonly Scope[];
}

export interface ExchangeCodeInput {
  readonly code: string;
  readonly clientId: string;
  readonly codeVerifier: string;
  /** Null if it was not sent, as OAuth 2.1 allows. */
  readonly redirectUri: string | null;
  readonly resource: string | null;
}

const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/;

/**
 * A code that is used again revokes what it gave, because one of the two senders has stolen it.
 * @throws DomainError invalid_grant, invalid_target
 */
export async function exchangeCode(ctx: Ctx, input: ExchangeCodeInput): Promise<IssuedGrant> {
  requireResource(ctx.rules.baseUrl, input.resource);
  const { db, clock } = ctx;
  const { oauthRequests } = db.tables;
  const codeHash = hashSecret(input.code);
  const [found] = await db.query.select().from(oauthRequests).where(eq(oauthRequests.codeHash, codeHash));
  if (found === undefined) throw invalidGrant();
  if (found.usedAt !== null) {
    await revokeGivenBy(ctx, found.id);
    throw invalidGrant();
  }
  if (found.expiresAt <= clock.now() || !isFor(found, input)) throw invalidGrant();
  const grant = await withTransaction(ctx, (inner) => issue(inner, found));
  if (grant !== null) return grant;
  await revokeGivenBy(ctx, found.id);
  throw invalidGrant();
}

/** Whether the code belongs to this client, redirect and verifier. */
function isFor({ clientId, redirectUri, codeChallenge }: OauthRequestRow, input: ExchangeCodeInput): boolean {
  if (input.clientId !== clientId) return false;
  if (input.redirectUri !== null && input.redirectUri !== redirectUri) return false;
  if (!verifierForm.test(input.codeVerifier)) return false;
  return (
    Buffer.from(Bun.SHA256.hash(input.codeVerifier, 'hex'), 'hex').toString('base64url') === codeChallenge
  );
}

/** @returns null if another request has used the code since it was read */
async function issue(ctx: TransactionCtx, found: OauthRequestRow): Promise<IssuedGrant | null> {
  const { db, clock } = ctx;
  const { agents, oauthRequests } = db.tables;
  const { agentId, clientId, clientName, scopes } = found;
  invariant(agentId !== null, 'A code belongs to the agent that approved its request.');
  const now = clock.now();
  // Before the code, as a change of the key or the closing of the account does.
  const [agent] = await lockRows(db, db.query.select().from(agents).where(eq(agents.id, agentId)));
  const used = await db.query
    .update(oauthRequests)
    .set({ usedAt: now })
    .where(and(eq(oauthRequests.id, found.id), isNull(oauthRequests.usedAt)))
    .returning({ id: oauthRequests.id });
  if (used.length === 0) return null;
  if (agent === undefined || isSuspended(agent, now)) throw invalidGrant();
  const refresh = createRefreshToken();
  const { id, token } = await issueGrantedToken(ctx, agentId, {
    clientId,
    clientName,
    scopes,
    expiresAt: new Date(now.getTime() + accessTokenLifetimeMs),
    familyHash: refresh.familyHash,
    refreshHash: refresh.refreshHash,
    refreshExpiresAt: new Date(now.getTime() + refreshTokenLifetimeMs),
  });
  // The account may have been closed since the approval.
  if (!(await isAccountOpen(db, agentId))) throw invalidGrant();
  await db.query.update(oauthRequests).set({ bearerTokenId: id }).where(eq(oauthRequests.id, found.id));
  return {
    accessToken: token,
    refreshToken: refresh.token,
    expiresInSeconds: accessTokenLifetimeMs / 1_000,
    scopes,
  };
}

async function revokeGivenBy(ctx: Ctx, requestId: string): Promise<void> {
  await withTransaction(ctx, async (inner) => {
    const { oauthRequests } = inner.db.tables;
    const [request] = await inner.db.query
      .select({ given: oauthRequests.bearerTokenId })
      .from(oauthRequests)
      .where(eq(oauthRequests.id, requestId));
    if (request !== undefined && request.given !== null) await revokeGrant(inner, request.given);
  });
}

/** The same for every reason, so that nobody learns which part of a stolen code was wrong. */
export function invalidGrant(): DomainError {
  return new DomainError(
    'invalid_grant',
    'The code or refresh token is wrong, expired, used before, or belongs to another client or redirect URI.',
    { hint: 'Start again at the authorization endpoint.' },
  );
}
