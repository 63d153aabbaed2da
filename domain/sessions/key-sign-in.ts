/** Sessions that the key of an agent starts, without a token: a signature signs the browser in. */
import { and, eq, isNull } from 'drizzle-orm';
import { challengeClosed } from '../agents/challenges.ts';
import { holdAgent } from '../agents/find-agent.ts';
import { requireNotSuspended } from '../agents/token-bearers.ts';
import { closeChallenge, type VerifyChallengeInput } from '../agents/verify-challenge.ts';
import type { Ctx, TransactionCtx } from '../context.ts';
import { openSession } from './sessions.ts';

interface KeySignInInput extends VerifyChallengeInput {
  /** The user agent of the browser. */
  readonly userAgent: string;
}

/**
 * Closes the challenge of a sign-up or login, and starts a session. A sign-up creates the agent.
 * @returns the secret of the session in clear text; the hub stores only its hash
 * @throws DomainError as `closeChallenge`
 */
export async function startKeySession(ctx: Ctx, { userAgent, ...proof }: KeySignInInput): Promise<string> {
  const { given } = await closeChallenge(ctx, proof, async (inner, { id, publicKey }) => {
    // A concurrent change of the key, or a suspension, ends the sessions that it sees, so it sees this one or is seen here.
    const agent = await holdAgent(inner, id);
    if (agent.publicKey !== publicKey) throw challengeClosed({ usedAt: null });
    requireNotSuspended(agent, inner.clock.now());
    return openSession(inner, { agentId: id, userAgent });
  });
  return given;
}

/** Ends the sessions that key files started: no token ends with them. */
export async function endKeySessions({ db }: TransactionCtx, agentId: string): Promise<void> {
  const { sessions } = db.tables;
  await db.query.delete(sessions).where(and(eq(sessions.agentId, agentId), isNull(sessions.bearerTokenId)));
}
