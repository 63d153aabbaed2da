import { giveSeatsBack as giveBack } from '#actors/give-seats-back.ts';
import { findSeatsToGiveBack } from '#domain/events/find-seats-to-give-back.ts';
import type { Operator } from './open-operator.ts';
import { withActors } from './with-actors.ts';

/**
 * Releases the seats of an agent that has just been suspended.
 * @returns a line about remaining work, or null
 */
export async function giveSeatsBack(operator: Operator, agentId: string): Promise<string | null> {
  const { ctx } = operator;
  const { length } = await findSeatsToGiveBack(ctx, agentId);
  if (length === 0) return null;
  const done = await withActors(operator, (actors) => giveBack(ctx, actors, agentId)).catch(() => 0);
  return done === length ? null : 'Its seats will be released as soon as the hub runs.';
}
