/** Opens a challenge for a change of the agent's own account. It replaces an earlier challenge. */
import { and, eq, isNull } from 'drizzle-orm';
import type { ChallengePurpose } from '#db/schema/agent-tables.ts';
import { createChallenge, type OpenChallenge, toOpenChallenge } from '../agents/create-challenge.ts';
import { type AgentCtx, withTransaction } from '../context.ts';

export interface OwnChallengeInput {
  readonly purpose: Extract<ChallengePurpose, 'close' | 'rotate'>;
  /** The key that the challenge names. */
  readonly publicKey: string;
}

export async function openOwnChallenge(
  ctx: AgentCtx,
  { purpose, publicKey }: OwnChallengeInput,
): Promise<OpenChallenge> {
  const { handle } = ctx.agent;
  return withTransaction(ctx, async (inner) => {
    const { challenges } = inner.db.tables;
    await inner.db.query
      .delete(challenges)
      .where(and(eq(challenges.handle, handle), eq(challenges.purpose, purpose), isNull(challenges.usedAt)));
    const challenge = createChallenge(inner, { purpose, handle, publicKey, profile: null });
    await inner.db.query.insert(challenges).values(challenge);
    return toOpenChallenge(challenge, challenge.createdAt);
  });
}
