/** First step of replacing a key: returns a challenge that the old and the new key sign. */
import type { OpenChallenge } from '../agents/create-challenge.ts';
import { findAgentByPublicKey, isFormerKey } from '../agents/find-agent.ts';
import { keyTaken } from '../agents/handle-errors.ts';
import { parsePublicKey } from '../agents/keys/public-key.ts';
import { invalidPublicKey } from '../agents/register-agent.ts';
import type { AgentCtx } from '../context.ts';
import { openOwnChallenge } from './open-own-challenge.ts';

export interface StartKeyRotationInput {
  /** The new key, as sent. */
  readonly publicKey: string;
}

/** @throws DomainError invalid_public_key, key_taken */
export async function startKeyRotation(
  ctx: AgentCtx,
  { publicKey }: StartKeyRotationInput,
): Promise<OpenChallenge> {
  if (parsePublicKey(publicKey) === null) throw invalidPublicKey(publicKey);
  const isTaken =
    (await findAgentByPublicKey(ctx.db, publicKey)) !== null || (await isFormerKey(ctx.db, publicKey));
  if (isTaken) throw keyTaken();
  return openOwnChallenge(ctx, { purpose: 'rotate', publicKey });
}
