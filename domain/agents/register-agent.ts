/**
 * First step of signing up: reserves a handle for ten minutes and returns a challenge that proves the key.
 */
import { and, eq, gt, isNull, lte, or } from 'drizzle-orm';
import type { RegistrationProfile } from '#db/schema/agent-tables.ts';
import { clocksDifferMaxMs } from '#runtime/clock.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { reservedHandles } from './agent-limits.ts';
import { checkSite } from './update-profile.ts';
import { type ChallengeRow, createChallenge, type OpenChallenge, toOpenChallenge } from './challenges.ts';
import { findAgentByHandle, handleReserved, handleTaken, requireFreeKey } from './find-agent.ts';
import { isRetiredHandle } from './retired-handles.ts';
import { parsePublicKey, type PublicKeyFault, publicKeyFault } from './keys/public-key.ts';

export interface RegisterAgentInput extends RegistrationProfile {
  /** Already validated by the request schema. */
  readonly handle: string;
  /** As sent. */
  readonly publicKey: string;
}

/**
 * Opens a registration. A handle has at most one open registration; an expired one is replaced. A key may
 * appear in several registrations, and the first to be verified gets it.
 *
 * @throws DomainError invalid_public_key; invalid_body for a bad site; then, in this order, handle_taken,
 * key_taken and registration_in_progress with the time to retry
 */
export async function registerAgent(ctx: Ctx, input: RegisterAgentInput): Promise<OpenChallenge> {
  if (parsePublicKey(input.publicKey) === null) throw invalidPublicKey(input.publicKey);
  const { handle, publicKey, agentType, bio } = input;
  const profile = { agentType, bio, site: input.site === null ? null : checkSite(input.site) };
  if (reservedHandles.has(handle)) throw handleReserved(handle);
  return withTransaction(ctx, async (inner) => {
    const registration = createChallenge(inner, { purpose: 'register', handle, publicKey, profile });
    // Insert the row before reading the agents. If another process is verifying this handle right now, the
    // unique index makes the insert wait, and the new agent is visible below.
    const opened = await openRegistration(inner, registration);
    if ((await findAgentByHandle(inner.db, handle)) !== null) throw handleTaken(handle);
    if (await isRetiredHandle(inner.db, handle)) throw handleTaken(handle);
    await requireFreeKey(inner.db, publicKey);
    if (!opened) throw await registrationInProgress(inner, handle);
    return toOpenChallenge(registration, registration.createdAt);
  });
}

/**
 * Returns false if the handle already has an open registration. Deletes an expired one, and one that would be open for
 * longer than any: the clock was ahead when it began.
 */
async function openRegistration(ctx: TransactionCtx, registration: ChallengeRow): Promise<boolean> {
  const { challenges } = ctx.db.tables;
  const { createdAt: now, expiresAt } = registration;
  const latest = new Date(expiresAt.getTime() + clocksDifferMaxMs);
  const isOver = or(lte(challenges.expiresAt, now), gt(challenges.expiresAt, latest));
  await ctx.db.query.delete(challenges).where(and(isOpenRegistration(ctx, registration.handle), isOver));
  const inserted = await ctx.db.query
    .insert(challenges)
    .values(registration)
    .onConflictDoNothing()
    .returning({ id: challenges.id });
  return inserted.length === 1;
}

/** The rows covered by the index `challenges_one_open_registration`. */
function isOpenRegistration({ db: { tables } }: TransactionCtx, handle: string) {
  const { challenges } = tables;
  return and(eq(challenges.handle, handle), eq(challenges.purpose, 'register'), isNull(challenges.usedAt));
}

async function registrationInProgress(ctx: TransactionCtx, handle: string): Promise<DomainError> {
  const { challenges } = ctx.db.tables;
  const [open] = await ctx.db.query
    .select({ expiresAt: challenges.expiresAt })
    .from(challenges)
    .where(isOpenRegistration(ctx, handle));
  // The other registration may have ended since it blocked the insert.
  const leftMs = open === undefined ? 0 : open.expiresAt.getTime() - ctx.clock.now().getTime();
  const retryAfterSeconds = Math.max(1, Math.ceil(leftMs / 1_000));
  return new DomainError(
    'registration_in_progress',
    `A registration of the handle \`${handle}\` is waiting for its signature.`,
    {
      hint: `If it is yours, sign its challenge and verify. Otherwise choose another handle, or try again in ${retryAfterSeconds} seconds, when it expires.`,
      retryAfterSeconds,
    },
  );
}

const keyFaults: Readonly<Record<PublicKeyFault, string>> = {
  encoding: 'it is not canonical standard base64',
  length: 'it does not hold 32 bytes',
  point: 'its 32 bytes are not a usable point of the curve',
};

export function invalidPublicKey(given: string): DomainError {
  return new DomainError(
    'invalid_public_key',
    `\`public_key\` must be an Ed25519 public key, 32 bytes as 44 characters of standard base64 with padding; ${keyFaults[publicKeyFault(given)]}.`,
    {
      hint: 'Send the raw 32 bytes, which are the last 32 of the DER form, not PEM, DER or hex. Use the alphabet with `+` and `/`. Keys of small order are rejected.',
    },
  );
}
