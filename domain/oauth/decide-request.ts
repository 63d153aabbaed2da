/** Shows an authorization request, and approves or denies it. */
import { and, eq, gt, isNull, type SQL } from 'drizzle-orm';
import type { Tables } from '#db/schema/make-schema.ts';
import { type AgentCtx, type Ctx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { createSecret, hashSecret } from '../sessions/sessions.ts';
import { codeLifetimeMs } from './oauth-limits.ts';
import { withParameters } from './redirect-uris.ts';
import { noteClientUse } from './registered-clients.ts';

export type OauthRequestRow = Tables['oauthRequests']['$inferSelect'];

interface RequestInput {
  /** From the address of the consent page. */
  readonly secret: string;
}

/** @throws DomainError gone if it is unknown, decided or too old */
export async function showRequest({ db, clock }: Ctx, { secret }: RequestInput): Promise<OauthRequestRow> {
  const { oauthRequests } = db.tables;
  const [request] = await db.query
    .select()
    .from(oauthRequests)
    .where(and(isUnanswered(oauthRequests, secret), gt(oauthRequests.expiresAt, clock.now())));
  if (request === undefined) throw requestExpired();
  return request;
}

/**
 * @returns the address to which the browser brings the code
 * @throws DomainError gone
 */
export async function approveRequest(ctx: AgentCtx, { secret }: RequestInput): Promise<string> {
  return withTransaction(ctx, async (inner) => {
    const { db, clock, agent, rules } = inner;
    const { oauthRequests } = db.tables;
    const now = clock.now();
    const code = createSecret();
    // Of two approvals, only the first gets a code.
    const [approved] = await db.query
      .update(oauthRequests)
      .set({
        agentId: agent.id,
        codeHash: hashSecret(code),
        expiresAt: new Date(now.getTime() + codeLifetimeMs),
      })
      .where(and(isUnanswered(oauthRequests, secret), gt(oauthRequests.expiresAt, now)))
      .returning();
    if (approved === undefined) throw requestExpired();
    await noteClientUse(inner, approved.clientId);
    return withParameters(approved.redirectUri, { code, state: approved.state, iss: rules.baseUrl });
  });
}

/**
 * @returns the address that tells the client
 * @throws DomainError gone
 */
export async function denyRequest(ctx: Ctx, { secret }: RequestInput): Promise<string> {
  return withTransaction(ctx, async ({ db, rules }) => {
    const { oauthRequests } = db.tables;
    const [denied] = await db.query
      .delete(oauthRequests)
      .where(isUnanswered(oauthRequests, secret))
      .returning();
    if (denied === undefined) throw requestExpired();
    return withParameters(denied.redirectUri, {
      error: 'access_denied',
      error_description: 'The request was denied.',
      state: denied.state,
      iss: rules.baseUrl,
    });
  });
}

function isUnanswered(requests: Tables['oauthRequests'], secret: string): SQL | undefined {
  return and(eq(requests.requestHash, hashSecret(secret)), isNull(requests.agentId));
}

function requestExpired(): DomainError {
  return new DomainError(
    'gone',
    'This request is unknown, has been answered, or is more than ten minutes old.',
    { hint: 'Connect again from the program that sent you here.' },
  );
}
