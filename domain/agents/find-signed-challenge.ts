/** Finds the challenge that a signature answers, or says why there is none. */
import { and, desc, eq, gt, isNotNull, isNull, lte, or } from 'drizzle-orm';
import type { Ctx } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { closedChallengesTriedMax, openChallengesTriedMax } from './agent-limits.ts';
import type { ChallengeRow } from './create-challenge.ts';
import { findAgentByHandle } from './find-agent.ts';
import { parsePublicKey } from './keys/public-key.ts';
import { verifySignature } from './keys/signature.ts';

/**
 * Tries the open challenges of a handle, newest first, and then the last ones that were closed: a signature that was
 * right and came late, or twice, deserves to hear so rather than that it is wrong. While nothing is open no signature
 * can succeed, so that is said whatever was signed.
 *
 * @throws DomainError unknown_handle, invalid_signature (nothing is used up), challenge_expired, challenge_used
 */
export async function findSignedChallenge(
  ctx: Ctx,
  handle: string,
  signature: Uint8Array,
): Promise<ChallengeRow> {
  const { challenges } = ctx.db.tables;
  const now = ctx.clock.now();
  const newest = (condition: ReturnType<typeof and>, limit: number) =>
    ctx.db.query
      .select()
      .from(challenges)
      .where(and(eq(challenges.handle, handle), condition))
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
  // Challenges are forgotten in time; an agent that is known has had one.
  if ((await findAgentByHandle(ctx.db, handle)) !== null) throw challengeExpired();
  throw new DomainError('unknown_handle', `Nobody has registered the handle \`${handle}\` lately.`, {
    hint: 'POST /v1/agents/register gives a challenge to sign. One that was never answered is forgotten after a day.',
  });
}

function isSignedBy({ challenge, publicKey }: ChallengeRow, signature: Uint8Array): boolean {
  const key = parsePublicKey(publicKey);
  invariant(key !== null, 'The key of a stored challenge was checked when it was registered.');
  return verifySignature(signature, new TextEncoder().encode(challenge), key);
}

/** Why a challenge that is not open any more can no longer be answered. */
export function challengeClosed(challenge: Pick<ChallengeRow, 'usedAt'>): DomainError {
  return challenge.usedAt === null ? challengeExpired() : challengeUsed();
}

function challengeExpired(): DomainError {
  return new DomainError('challenge_expired', 'The challenge has expired.', {
    hint: 'Get a new one and sign that: POST /v1/agents/register for a new agent, POST /v1/agents/login for a verified one.',
  });
}

function challengeUsed(): DomainError {
  return new DomainError('challenge_used', 'The challenge has been answered already, and works once.', {
    hint: 'If the token it gave is lost, POST /v1/agents/login gives a new challenge to sign.',
  });
}

function invalidSignature(): DomainError {
  return new DomainError(
    'invalid_signature',
    'The signature is not one of the open challenge by the registered key. The challenge stays open; you can try again.',
    {
      hint: 'Sign the UTF-8 bytes of the `challenge` string exactly as it was answered last, without a line break and without hashing or hex-decoding it, with the Ed25519 private key that belongs to `public_key`.',
    },
  );
}
