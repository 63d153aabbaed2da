/** Exchanges a code for a grant: an access token and a refresh token (RFC 6749 section 4.1.3, RFC 7636, RFC 8707). */
import { eq } from 'drizzle-orm';
import { lockRows } from '#db/transaction.ts';
import { holdAgent } from '../agents/find-agent.ts';
import { storeToken } from '../agents/bearer-tokens.ts';
import { isSuspended } from '../agents/token-bearers.ts';
import { type Ctx, isAccountOpen, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { hashSecret } from '../sessions/sessions.ts';
import type { OauthRequestRow } from './decide-request.ts';
import { issueAgain, type IssuedGrant, issueTokens } from './grant-tokens.ts';
import { requireResource } from './resources.ts';
import { lockGrant, revokeGrant } from './revoke-grant.ts';

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
 * A client that sends the same code and verifier again within 30 seconds gets the same tokens, unless it has refreshed
 * them. Any other use of a code that was used revokes what it gave, because one of the two senders has stolen it.
 * @throws DomainError invalid_grant, invalid_target
 */
export async function exchangeCode(ctx: Ctx, input: ExchangeCodeInput): Promise<IssuedGrant> {
  requireResource(ctx.rules.baseUrl, input.resource);
  const { oauthRequests } = ctx.db.tables;
  const codeHash = hashSecret(input.code);
  const [found] = await ctx.db.query.select().from(oauthRequests).where(eq(oauthRequests.codeHash, codeHash));
  if (found === undefined) throw invalidGrant();
  const grant = await withTransaction(ctx, (inner) => exchange(inner, found, input));
  if (grant === null) throw invalidGrant();
  return grant;
}

/** @returns null if the code was used before, which may have revoked its grant */
async function exchange(
  ctx: TransactionCtx,
  { id, agentId }: OauthRequestRow,
  input: ExchangeCodeInput,
): Promise<IssuedGrant | null> {
  const { db, clock } = ctx;
  const { oauthRequests } = db.tables;
  invariant(agentId !== null, 'A code belongs to the agent that approved its request.');
  // Before the code, as a change of the key or the closing of the account does.
  const agent = await holdAgent(ctx, agentId);
  // Of two requests with one code, the second waits for the first.
  const [request] = await lockRows(db, db.query.select().from(oauthRequests).where(eq(oauthRequests.id, id)));
  const now = clock.now();
  if (request === undefined || isSuspended(agent, now)) throw invalidGrant();
  const presented = `${input.code}.${input.codeVerifier}`;
  if (request.usedAt !== null) return repeat(ctx, request, isFor(request, input) ? presented : null);
  if (request.expiresAt <= now || !isFor(request, input)) throw invalidGrant();
  return issue(ctx, agentId, request, presented);
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

async function issue(
  ctx: TransactionCtx,
  agentId: string,
  { id, clientId, clientName, scopes }: OauthRequestRow,
  presented: string,
): Promise<IssuedGrant> {
  const { db, clock } = ctx;
  const { oauthRequests } = db.tables;
  const now = clock.now();
  const { columns, ...tokens } = issueTokens(presented, null, now, scopes);
  const bearerTokenId = await storeToken(ctx, agentId, { clientId, clientName, scopes, ...columns });
  // The account may have been closed since the approval.
  if (!(await isAccountOpen(db, agentId))) throw invalidGrant();
  await db.query.update(oauthRequests).set({ usedAt: now, bearerTokenId }).where(eq(oauthRequests.id, id));
  return tokens;
}

/** @param presented null if the code was sent by another client, or with a wrong verifier */
async function repeat(
  ctx: TransactionCtx,
  { bearerTokenId }: OauthRequestRow,
  presented: string | null,
): Promise<IssuedGrant | null> {
  if (bearerTokenId === null) return null;
  const grant = await lockGrant(ctx, bearerTokenId);
  if (grant === undefined) return null;
  const again = presented === null ? null : issueAgain(grant, presented, null, ctx.clock.now());
  // Committed although the request is refused.
  if (again === null) await revokeGrant(ctx, bearerTokenId);
  return again;
}

/** The same for every reason, so that nobody learns which part of a stolen code was wrong. */
export function invalidGrant(): DomainError {
  return new DomainError(
    'invalid_grant',
    'The code or refresh token is wrong, expired, used before, or belongs to another client or redirect URI.',
    { hint: 'Start again at the authorization endpoint.' },
  );
}
