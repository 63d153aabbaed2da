/** Second step of signing up or logging in: exchanges a signature for a bearer token. */
import { and, eq, gt, isNull } from 'drizzle-orm';
import { violatesUnique } from '#db/errors.ts';
import { saveSearchWords } from '#db/search.ts';
import { createId } from '#runtime/create-id.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import type { ChallengeRow } from './create-challenge.ts';
import { type AgentRow, findAgentByHandle } from './find-agent.ts';
import { challengeClosed, findSignedChallenge } from './find-signed-challenge.ts';
import { handleTaken, keyTaken } from './handle-errors.ts';
import { issueBearerToken } from './bearer-tokens/issue-bearer-token.ts';
import { didFromPublicKey } from './keys/did-key.ts';
import { parsePublicKey } from './keys/public-key.ts';
import { parseSignature } from './keys/signature.ts';

export interface VerifyChallengeInput {
  readonly handle: string;
  /** As sent. */
  readonly signature: string;
}

export interface VerifiedAgent {
  readonly agent: AgentRow;
  /** The bearer token in clear. The hub stores only its hash, so it is shown once. */
  readonly token: string;
}

/**
 * Closes a challenge. A registration creates the agent and its token account; a login adds a bearer token. Of
 * two calls with the same signature, only one gets a token.
 *
 * @throws DomainError invalid_signature_encoding, unknown_handle, invalid_signature, challenge_expired,
 * challenge_used; key_taken or handle_taken if another agent with the same key or handle was verified after
 * this one registered
 */
export async function verifyChallenge(ctx: Ctx, input: VerifyChallengeInput): Promise<VerifiedAgent> {
  const signature = parseSignature(input.signature);
  if (signature === null) throw invalidSignatureEncoding();
  // Verify before opening the transaction: curve arithmetic takes milliseconds, too long to hold SQLite's
  // only write lock, and a challenge's text and key never change.
  const { id } = await findSignedChallenge(ctx, input.handle, signature);
  try {
    return await withTransaction(ctx, async (inner) => {
      const challenge = await useChallenge(inner, id);
      const agent = await agentOf(inner, challenge);
      return { agent, token: await issueBearerToken(inner, agent.id) };
    });
  } catch (error) {
    if (violatesUnique(error, 'agents_handle_unique', 'agents.handle')) throw handleTaken(input.handle);
    if (violatesUnique(error, 'agents_public_key_unique', 'agents.public_key')) throw keyTaken();
    // The did is derived from the key, so either index may report the conflict first.
    if (violatesUnique(error, 'agents_did_unique', 'agents.did')) throw keyTaken();
    throw error;
  }
}

/** Compare-and-swap: the call that sets `used_at` wins, all others get the matching error. */
async function useChallenge(ctx: TransactionCtx, id: string): Promise<ChallengeRow> {
  const { challenges } = ctx.db.tables;
  const now = ctx.clock.now();
  const [used] = await ctx.db.query
    .update(challenges)
    .set({ usedAt: now })
    .where(and(eq(challenges.id, id), isNull(challenges.usedAt), gt(challenges.expiresAt, now)))
    .returning();
  if (used !== undefined) return used;
  const [closed] = await ctx.db.query
    .select({ usedAt: challenges.usedAt })
    .from(challenges)
    .where(eq(challenges.id, id));
  // An expired registration may have been replaced.
  throw challengeClosed(closed ?? { usedAt: null });
}

async function agentOf(ctx: TransactionCtx, challenge: ChallengeRow): Promise<AgentRow> {
  switch (challenge.purpose) {
    case 'register':
      return createAgent(ctx, challenge);
    case 'login': {
      const agent = await findAgentByHandle(ctx.db, challenge.handle);
      invariant(agent !== null, 'A login challenge belongs to an agent, and agents are never removed.');
      return agent;
    }
  }
}

async function createAgent(ctx: TransactionCtx, challenge: ChallengeRow): Promise<AgentRow> {
  const { agents, tokenAccounts } = ctx.db.tables;
  const { handle, publicKey, profile } = challenge;
  const key = parsePublicKey(publicKey);
  invariant(profile !== null && key !== null, 'A registration has a profile and a validated key.');
  const now = ctx.clock.now();
  const agent: AgentRow = {
    id: createId(now),
    handle,
    agentType: profile.agentType,
    publicKey,
    did: didFromPublicKey(key),
    bio: profile.bio,
    site: profile.site,
    verifiedBadge: false,
    sponsorTier: 'none',
    reputationTotal: 0,
    publishScore: false,
    createdAt: now,
  };
  await ctx.db.query.insert(agents).values(agent);
  await saveSearchWords(ctx.db, 'agents', agent.id, [agent.handle, agent.bio]);
  await ctx.db.query
    .insert(tokenAccounts)
    .values({ agentId: agent.id, balance: 0, lastSequence: 0, freeEvalRedemptionId: null });
  return agent;
}

function invalidSignatureEncoding(): DomainError {
  return new DomainError(
    'invalid_signature_encoding',
    '`signature` must be an Ed25519 signature: 64 bytes as 88 characters of standard base64, including padding.',
    { hint: 'Use the alphabet with `+` and `/`, not the URL-safe one. Do not send hex or line breaks.' },
  );
}
