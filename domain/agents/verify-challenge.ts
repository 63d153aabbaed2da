/** Second step of signing up or logging in: closes the challenge with a signature of it. */
import { violatesUnique } from '#db/errors.ts';
import { saveSearchWords } from '#db/search.ts';
import { createId } from '#runtime/create-id.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { invariant, InvariantError } from '../errors.ts';
import {
  challengeClosed,
  type ChallengeRow,
  findSignedChallenge,
  readSignature,
  useChallenge,
} from './challenges.ts';
import {
  type AgentRow,
  findAgentByHandle,
  handleTaken,
  refuseFormerKey,
  isKeyConflict,
  keyTaken,
} from './find-agent.ts';
import { issueBearerToken } from './bearer-tokens.ts';
import { didFromPublicKey, parsePublicKey } from './keys/public-key.ts';
import { requireNotSuspended } from './token-bearers.ts';

export interface VerifyChallengeInput {
  readonly handle: string;
  /** As sent. */
  readonly signature: string;
  /** The caller's network, hashed. A new agent keeps it. */
  readonly network?: string;
}

export interface VerifiedAgent {
  readonly agent: AgentRow;
  /** The bearer token in clear. The hub stores only its hash, so it is shown once. */
  readonly token: string;
}

/** {@link closeChallenge} for a bearer token. */
export async function verifyChallenge(ctx: Ctx, input: VerifyChallengeInput): Promise<VerifiedAgent> {
  const { agent, given } = await closeChallenge(ctx, input, (inner, { id }) => issueBearerToken(inner, id));
  return { agent, token: given };
}

/**
 * Closes a challenge. A registration creates the agent and its token account. Of two calls with the same signature, only
 * one gives anything.
 * @param give what the agent gets for its signature, in the same transaction
 *
 * @throws DomainError invalid_signature_encoding, unknown_handle, invalid_signature, challenge_expired,
 * challenge_used; key_taken or handle_taken if another agent with the same key or handle was verified after
 * this one registered
 */
export async function closeChallenge<T>(
  ctx: Ctx,
  input: VerifyChallengeInput,
  give: (inner: TransactionCtx, agent: AgentRow) => Promise<T>,
): Promise<{ readonly agent: AgentRow; readonly given: T }> {
  const signature = readSignature('signature', input.signature);
  // Verify before opening the transaction: curve arithmetic takes milliseconds, too long to hold SQLite's
  // only write lock, and a challenge's text and key never change.
  const { id } = await findSignedChallenge(ctx, {
    handle: input.handle,
    signature,
    purposes: ['register', 'login'],
  });
  try {
    return await withTransaction(ctx, async (inner) => {
      const challenge = await useChallenge(inner, id);
      const agent = await agentOf(inner, challenge, input.network ?? null);
      return { agent, given: await give(inner, agent) };
    });
  } catch (error) {
    if (violatesUnique(error, 'agents_handle_unique', 'agents.handle')) throw handleTaken(input.handle);
    if (isKeyConflict(error)) throw keyTaken();
    throw error;
  }
}

async function agentOf(
  ctx: TransactionCtx,
  challenge: ChallengeRow,
  network: string | null,
): Promise<AgentRow> {
  switch (challenge.purpose) {
    case 'register':
      return createAgent(ctx, challenge, network);
    case 'login': {
      const agent = await findAgentByHandle(ctx.db, challenge.handle);
      // The account was closed, or its key replaced, after the challenge was created.
      if (agent === null || agent.publicKey !== challenge.publicKey) throw challengeClosed({ usedAt: null });
      requireNotSuspended(agent, ctx.clock.now());
      return agent;
    }
    case 'close':
    case 'rotate':
      throw new InvariantError('Only registrations and logins are looked up.');
  }
}

async function createAgent(
  ctx: TransactionCtx,
  challenge: ChallengeRow,
  network: string | null,
): Promise<AgentRow> {
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
    publishHistory: false,
    network,
    createdAt: now,
    formerDids: null,
    hiddenAt: null,
    suspendedAt: null,
    suspendedUntil: null,
    closedAt: null,
    allowancePeriod: 0,
    allowanceAt: null,
  };
  await ctx.db.query.insert(agents).values(agent);
  // After the insert: a concurrent rotation away from this key has committed by then.
  await refuseFormerKey(ctx.db, publicKey);
  await saveSearchWords(ctx.db, 'agents', agent.id, [agent.handle, agent.bio]);
  await ctx.db.query.insert(tokenAccounts).values({ agentId: agent.id, balance: 0, lastSequence: 0 });
  return agent;
}
