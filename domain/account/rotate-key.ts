import { and, eq, isNull, ne } from 'drizzle-orm';
import { formerDidsMax } from '../agents/agent-limits.ts';
import { signalLostAccess } from '../agents/bearer-tokens.ts';
import {
  findSignedChallenge,
  holdChallenges,
  invalidSignature,
  type OpenChallenge,
  readSignature,
  useChallenge,
} from '../agents/challenges.ts';
import {
  type AgentRow,
  isKeyConflict,
  keyTaken,
  refuseFormerKey,
  requireFreeKey,
} from '../agents/find-agent.ts';
import { didFromPublicKey, parsePublicKey } from '../agents/keys/public-key.ts';
import { verifySignature } from '../agents/keys/signature.ts';
import { invalidPublicKey } from '../agents/register-agent.ts';
import { type AgentCtx, type BearerCtx, type TransactionCtx, withTransaction } from '../context.ts';
import { invariant } from '../errors.ts';
import { endKeySessions } from '../sessions/key-sign-in.ts';
import { findOwnRow, openOwnChallenge } from './own-challenge.ts';

interface StartKeyRotationInput {
  /** The new key, as sent. */
  readonly publicKey: string;
}

/**
 * First step of replacing a key: returns a challenge that the old and the new key sign.
 * @throws DomainError invalid_public_key, key_taken
 */
export async function startKeyRotation(
  ctx: AgentCtx,
  { publicKey }: StartKeyRotationInput,
): Promise<OpenChallenge> {
  if (parsePublicKey(publicKey) === null) throw invalidPublicKey(publicKey);
  await requireFreeKey(ctx.db, publicKey);
  return openOwnChallenge(ctx, { purpose: 'rotate', publicKey });
}

interface RotateKeyInput {
  /** The new key, as in the request for the challenge. */
  readonly publicKey: string;
  readonly oldSignature: string;
  readonly newSignature: string;
}

/**
 * Replaces the key of the acting agent. The old key stays bound to it, and all its other tokens stop working.
 * @returns the agent with its new did
 * @throws DomainError invalid_public_key, invalid_signature_encoding, invalid_signature, challenge_expired,
 * challenge_used, key_taken
 */
export async function rotateKey(ctx: BearerCtx, input: RotateKeyInput): Promise<AgentRow> {
  const key = parsePublicKey(input.publicKey);
  if (key === null) throw invalidPublicKey(input.publicKey);
  const oldSignature = readSignature('old_signature', input.oldSignature);
  const signature = readSignature('new_signature', input.newSignature);
  const { handle } = ctx.agent;
  const found = await findSignedChallenge(ctx, { handle, signature, purposes: ['rotate'] });
  if (found.publicKey !== input.publicKey) throw invalidSignature();
  const agent = await findOwnRow(ctx);
  const oldKey = parsePublicKey(agent.publicKey);
  invariant(oldKey !== null, 'The key of an agent was checked when it was registered.');
  if (!verifySignature(oldSignature, new TextEncoder().encode(found.challenge), oldKey)) {
    throw invalidSignature();
  }
  try {
    return await withTransaction(ctx, async (inner) => {
      await holdChallenges(inner, handle);
      await useChallenge(inner, found.id);
      const rotated = await swapKey(inner, agent, { publicKey: input.publicKey, did: didFromPublicKey(key) });
      await endOtherAccess(inner);
      return rotated;
    });
  } catch (error) {
    if (isKeyConflict(error)) throw keyTaken();
    throw error;
  }
}

async function swapKey(
  ctx: TransactionCtx,
  agent: AgentRow,
  next: Pick<AgentRow, 'publicKey' | 'did'>,
): Promise<AgentRow> {
  const { agents, formerKeys } = ctx.db.tables;
  const [rotated] = await ctx.db.query
    .update(agents)
    .set({ ...next, formerDids: keptDids(ctx, [...(agent.formerDids ?? []), agent.did]) })
    // Another rotation may have been faster, in which case the old signature is outdated.
    .where(and(eq(agents.id, agent.id), eq(agents.publicKey, agent.publicKey)))
    .returning();
  if (rotated === undefined) throw invalidSignature();
  // After the update: a concurrent rotation of another agent away from this key has committed by then.
  await refuseFormerKey(ctx.db, next.publicKey);
  const { publicKey, did, id: agentId } = agent;
  await ctx.db.query.insert(formerKeys).values({ publicKey, did, agentId, replacedAt: ctx.clock.now() });
  return rotated;
}

/** Every list of agents has them. Those that the operator has named as maintainers are kept however old they are. */
function keptDids({ rules }: TransactionCtx, dids: readonly string[]): readonly string[] {
  const newest = dids.length - formerDidsMax;
  return dids.filter((did, place) => place >= newest || rules.maintainerDids.has(did));
}

/** A leaked key may have been used to log in, and what it has signed must not count later. */
async function endOtherAccess(ctx: BearerCtx & TransactionCtx): Promise<void> {
  const { db, clock, agent } = ctx;
  const { bearerTokens, challenges, oauthRequests } = db.tables;
  await db.query
    .update(bearerTokens)
    .set({ revokedAt: clock.now() })
    .where(
      and(
        eq(bearerTokens.agentId, agent.id),
        agent.tokenId === null ? undefined : ne(bearerTokens.id, agent.tokenId),
        isNull(bearerTokens.revokedAt),
      ),
    );
  await endKeySessions(ctx, agent.id);
  await db.query
    .delete(challenges)
    .where(and(eq(challenges.handle, agent.handle), isNull(challenges.usedAt)));
  // A code that is waiting for its client would become a grant.
  await db.query
    .delete(oauthRequests)
    .where(and(eq(oauthRequests.agentId, agent.id), isNull(oauthRequests.usedAt)));
  signalLostAccess(ctx, agent.id);
}
