/** The claims of actors by a process. An activation must hold one before it reads the mailbox. */
import { createBatcher } from '#runtime/batcher.ts';
import { epochOfNobody } from './actor-type.ts';
import { claimedAtOnceMax, claimsKeptMax } from './limits.ts';

/** The epochs that a process has claimed. A claim outlasts its activation, until the actor is claimed again. */
export interface Claims {
  /** @returns undefined if the process has not claimed the actor, or has forgotten the claim */
  get(actorId: string): number | undefined;
  forget(actorId: string): void;
  /** Claims the actor in the database. @returns its epoch; `epochOfNobody` if there is no such actor */
  claim(actorId: string): Promise<number>;
}

/**
 * Actors that are activated at the same time are claimed together.
 * @param claim raises the epochs of actors, and returns them by id, without actors that do not exist
 */
export function createClaims(
  claim: (actorIds: readonly string[]) => Promise<ReadonlyMap<string, number>>,
): Claims {
  const epochs = new Map<string, number>();
  const claiming = createBatcher<string, number>({
    maxBatch: claimedAtOnceMax,
    // One at a time: those that arrive meanwhile share the next.
    maxInFlight: 1,
    handle: async (actorIds) => {
      const claimed = await claim(actorIds);
      return actorIds.map((id) => claimed.get(id) ?? epochOfNobody);
    },
  });
  return {
    get: (actorId) => epochs.get(actorId),
    forget: (actorId) => void epochs.delete(actorId),
    claim: async (actorId) => {
      const epoch = await claiming.ask(actorId);
      if (epoch === epochOfNobody) return epoch;
      const [oldest] = epochs.keys();
      if (oldest !== undefined && epochs.size >= claimsKeptMax) epochs.delete(oldest);
      epochs.set(actorId, epoch);
      return epoch;
    },
  };
}
