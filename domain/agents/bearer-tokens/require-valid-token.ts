/** Rechecks a token during its request: after a slow body, and between the waits of a long poll or stream. */
import { and, eq, isNull } from 'drizzle-orm';
import type { BearerCtx } from '../../context.ts';
import { DomainError } from '../../errors.ts';
import { requireNotSuspended } from '../suspension.ts';

export interface ValidTokenOptions {
  /** Whether suspended agents are let through. */
  readonly openToSuspended?: boolean;
}

/** @throws DomainError invalid_token once the acting agent's token has been revoked, or agent_suspended */
export async function requireValidToken(
  { db, clock, agent }: BearerCtx,
  { openToSuspended = false }: ValidTokenOptions = {},
): Promise<void> {
  const { agents, bearerTokens } = db.tables;
  const [found] = await db.query
    .select({ suspendedAt: agents.suspendedAt, suspendedUntil: agents.suspendedUntil })
    .from(bearerTokens)
    .innerJoin(agents, eq(agents.id, bearerTokens.agentId))
    .where(and(eq(bearerTokens.id, agent.tokenId), isNull(bearerTokens.revokedAt)));
  if (found === undefined) throw invalidToken();
  if (!openToSuspended) requireNotSuspended(found, clock.now());
}

/** The same for every kind of invalid token, so that nobody learns which tokens once existed. */
export function invalidToken(): DomainError {
  return new DomainError('invalid_token', 'The bearer token is invalid.', {
    hint: 'Get a new one with POST /v1/agents/login and POST /v1/agents/verify.',
  });
}
