import { and, eq, isNull } from 'drizzle-orm';
import type { ChallengePurpose } from '#db/schema/agent-tables.ts';
import { createChallenge, type OpenChallenge, toOpenChallenge } from '../agents/challenges.ts';
import { type AgentRow, findAgentById } from '../agents/find-agent.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { invariant } from '../errors.ts';

interface OwnChallengeInput {
  readonly purpose: Extract<ChallengePurpose, 'close' | 'rotate'>;
  /** The key that the challenge names. */
  readonly publicKey: string;
}

/** Opens a challenge for a change of the agent's own account. It replaces an earlier challenge. */
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

export async function findOwnRow(ctx: AgentCtx): Promise<AgentRow> {
  const agent = await findAgentById(ctx.db, ctx.agent.id);
  invariant(agent !== null, 'An acting agent exists; agents are never removed.');
  return agent;
}
