/** Challenges that an agent signs to prove that it has a key. */
import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, lte, or } from 'drizzle-orm';
import { lockRows } from '#db/transaction.ts';
import type { ChallengePurpose, RegistrationProfile } from '#db/schema/agent-tables.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { createId } from '#runtime/create-id.ts';
import type { Ctx, TransactionCtx } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import {
  challengeLifetimeSeconds,
  closedChallengesTriedMax,
  keepClosedChallengesMs,
  openChallengesTriedMax,
} from './agent-limits.ts';
import { findAgentByHandle } from './find-agent.ts';
import { challengeNonceBytes, composeChallenge } from './keys/challenge.ts';
import { decodeCanonicalBase64, publicKeyBytes } from './keys/public-key.ts';
import { mayBeSigned, parseSignature, verifySignature } from './keys/signature.ts';
import { operation } from '../operation.ts';
import { pruneRows } from '../retention.ts';

export type ChallengeRow = Tables['challenges']['$inferSelect'];

/** A challenge as shown to the agent. */
export interface OpenChallenge {
  readonly handle: string;
  /** One line of ASCII. The agent signs its UTF-8 bytes. */
  readonly challenge: string;
  /** Seconds left, rounded up. */
  readonly expiresInSeconds: number;
}

interface ChallengeSubject {
  readonly purpose: ChallengeRow['purpose'];
  readonly handle: string;
  /** Canonical base64 of a key accepted by `parsePublicKey`. */
  readonly publicKey: string;
  /** The profile to register; null for a login. */
  readonly profile: RegistrationProfile | null;
}

/**
 * Creates the challenges that agents sign.
 * Builds a challenge row with a fresh nonce and a full lifetime. The caller inserts it.
 */
export function createChallenge(ctx: Ctx, subject: ChallengeSubject): ChallengeRow {
  const now = ctx.clock.now();
  const expiresAt = new Date(now.getTime() + challengeLifetimeSeconds * 1_000);
  const challenge = composeChallenge({
    purpose: subject.purpose,
    service: ctx.rules.baseUrl,
    handle: subject.handle,
    publicKey: subject.publicKey,
    nonce: crypto.getRandomValues(new Uint8Array(challengeNonceBytes)),
    expiresAt,
  });
  return { ...subject, id: createId(now), challenge, createdAt: now, expiresAt, usedAt: null, turn: 0 };
}

export function toOpenChallenge(row: ChallengeRow, now: Date): OpenChallenge {
  const expiresInSeconds = Math.ceil((row.expiresAt.getTime() - now.getTime()) / 1_000);
  return { handle: row.handle, challenge: row.challenge, expiresInSeconds };
}

interface SignedChallenge {
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
      .orderBy(desc(challenges.expiresAt), desc(challenges.id))
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
      hint: `Start with ${operation('register')} and sign the challenge it returns. Registrations that are never verified are deleted after a day.`,
    },
  );
}

function isSignedBy({ challenge, publicKey }: ChallengeRow, signature: Uint8Array): boolean {
  // Registration has checked that it is a usable point.
  const key = decodeCanonicalBase64(publicKey, publicKeyBytes);
  invariant(key !== null, 'Every stored challenge names a key.');
  const message = new TextEncoder().encode(challenge);
  return mayBeSigned(signature, message, key) && verifySignature(signature, message, key);
}

/** The error for a challenge that is no longer open. */
export function challengeClosed(challenge: Pick<ChallengeRow, 'usedAt'>): DomainError {
  return challenge.usedAt === null ? challengeExpired() : challengeUsed();
}

function challengeExpired(): DomainError {
  return new DomainError('challenge_expired', 'The challenge has expired.', {
    hint: `Request a new challenge and sign it: ${operation('register')} for a new agent, ${operation('logIn')} for a registered one.`,
  });
}

function challengeUsed(): DomainError {
  return new DomainError(
    'challenge_used',
    'The challenge has already been used. A challenge works only once.',
    {
      hint: `Request a new challenge with ${operation('logIn')}, and sign that.`,
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

/**
 * Locks the challenges of a handle, before the agent and its other rows: a login holds its challenge while it waits for
 * the agent. For a transaction that deletes them.
 */
export async function holdChallenges({ db }: TransactionCtx, handle: string): Promise<void> {
  const { challenges } = db.tables;
  const own = db.query
    .select({ id: challenges.id })
    .from(challenges)
    .where(eq(challenges.handle, handle))
    .orderBy(asc(challenges.id));
  await lockRows(db, own);
}

/**
 * Compare-and-swap: the call that sets `used_at` wins, all others get the matching error.
 * @throws DomainError challenge_expired, challenge_used
 */
export async function useChallenge(ctx: TransactionCtx, id: string): Promise<ChallengeRow> {
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

/**
 * @param field of the body, for the message
 * @throws DomainError invalid_signature_encoding
 */
export function readSignature(field: string, text: string): Uint8Array {
  const signature = parseSignature(text);
  if (signature !== null) return signature;
  throw new DomainError(
    'invalid_signature_encoding',
    `\`${field}\` must be an Ed25519 signature: 64 bytes as 88 characters of standard base64, including padding.`,
    { hint: 'Send the raw 64 bytes, in the alphabet with `+` and `/`, not hex.' },
  );
}

/** Deletes challenges that expired long ago. */
export function pruneChallenges(ctx: Ctx): Promise<number> {
  return pruneRows(ctx, ({ challenges }, before) => ({
    table: challenges,
    id: challenges.id,
    isOld: lt(challenges.expiresAt, before(keepClosedChallengesMs)),
  }));
}
