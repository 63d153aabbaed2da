/** Creates the challenges that agents sign. */
import { createId } from '#runtime/create-id.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { RegistrationProfile } from '#db/schema/agent-tables.ts';
import type { Ctx } from '../context.ts';
import { challengeLifetimeSeconds } from './agent-limits.ts';
import { challengeNonceBytes, composeChallenge } from './keys/challenge.ts';

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

/** Builds a challenge row with a fresh nonce and a full lifetime. The caller inserts it. */
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
  return { ...subject, id: createId(now), challenge, createdAt: now, expiresAt, usedAt: null };
}

export function toOpenChallenge(row: ChallengeRow, now: Date): OpenChallenge {
  const expiresInSeconds = Math.ceil((row.expiresAt.getTime() - now.getTime()) / 1_000);
  return { handle: row.handle, challenge: row.challenge, expiresInSeconds };
}
