import { and, desc, eq, gt, inArray, isNotNull, isNull, lte, or } from 'drizzle-orm';
import type { ChallengePurpose } from '#db/schema/agent-tables.ts';
import type { Ctx } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { closedChallengesTriedMax, openChallengesTriedMax } from './agent-limits.ts';
import type { ChallengeRow } from './create-challenge.ts';
import { findAgentByHandle } from './find-agent.ts';
import { parsePublicKey } from './keys/public-key.ts';
import { verifySignature } from './keys/signature.ts';

export interface SignedChallenge {
  readonly handle: string;
  readonly signature: Uint8Array;
  /** A signature given for one purpose must not serve another. */
  readonly purposes: readonly ChallengePurpose[];
}

/**
 * Finds the challenge that a signature belongs to. Checks the open challenges of the handle, newest first,
 * then the last closed ones: a correct signature that is late or repeated gets `challenge_expired` or
 * `challenge_used` instead of `invalid_signature`. Without an open challenge no signature can succeed, so the
 * error never depends on what was signed.
 *
 * @throws DomainError unknown_handle, invalid_signature (the challenge stays open), challenge_expired,
 * challenge_used
 */
export async function findSignedChallenge(
  ctx: Ctx,
  { handle, signature, purposes }: SignedChallenge,
): Promise<ChallengeRow> {
  const { challenges } = ctx.db.tables;
  const now = ctx.clock.now();
  const newest = (condition: ReturnType<typeof and>, limit: number) =>
    ctx.db.query
      .select()
      .from(challenges)
      .where(and(eq(challenges.handle, handle), inArray(challenges.purpose, [...purposes]), condition))
      .orderBy(desc(challenges.id))
      .limit(limit);

  const open = await newest(
    and(isNull(challenges.usedAt), gt(challenges.expiresAt, now)),
    openChallengesTriedMax,
  );
  const answered = open.find((challenge) => isSignedBy(challenge, signature));
  if (answered !== undefined) return answered;

  const closed = await newest(
    or(isNotNull(challenges.usedAt), lte(challenges.expiresAt, now)),
    closedChallengesTriedMax,
  );
  const late = closed.find((challenge) => isSignedBy(challenge, signature));
  if (late !== undefined) throw challengeClosed(late);
  if (open.length > 0) throw invalidSignature();
  const [last] = closed;
  if (last !== undefined) throw challengeClosed(last);
  // Old challenges are pruned, but a registered agent must have had one.
  if ((await findAgentByHandle(ctx.db, handle)) !== null) throw challengeExpired();
  throw new DomainError(
    'unknown_handle',
    `There is no agent and no recent registration with the handle \`${handle}\`.`,
    {
      hint: 'Start with POST /v1/agents/register and sign the challenge it returns. Registrations that are never verified are deleted after a day.',
    },
  );
}

function isSignedBy({ challenge, publicKey }: ChallengeRow, signature: Uint8Array): boolean {
  const key = parsePublicKey(publicKey);
  invariant(key !== null, 'Registration has validated the key of every stored challenge.');
  return verifySignature(signature, new TextEncoder().encode(challenge), key);
}

/** The error for a challenge that is no longer open. */
export function challengeClosed(challenge: Pick<ChallengeRow, 'usedAt'>): DomainError {
  return challenge.usedAt === null ? challengeExpired() : challengeUsed();
}

function challengeExpired(): DomainError {
  return new DomainError('challenge_expired', 'The challenge has expired.', {
    hint: 'Request a new challenge and sign it: POST /v1/agents/register for a new agent, POST /v1/agents/login for a registered one.',
  });
}

function challengeUsed(): DomainError {
  return new DomainError(
    'challenge_used',
    'The challenge has already been used. A challenge works only once.',
    {
      hint: 'If you have lost the token, request a new challenge with POST /v1/agents/login.',
    },
  );
}

export function invalidSignature(): DomainError {
  return new DomainError(
    'invalid_signature',
    'The signature does not match an open challenge and the registered key. The challenge stays open; you can try again.',
    {
      hint: 'Sign the UTF-8 bytes of the latest `challenge` string, without a trailing line break and without hashing or hex-decoding it, using the Ed25519 private key for `public_key`.',
    },
  );
}
