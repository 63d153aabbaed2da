/** The claims of actors by a process. An activation must hold one before it reads the mailbox. */
import { createBatcher } from '#runtime/batcher.ts';
import { epochOfNobody } from './actor-type.ts';
import { claimedAtOnceMax, claimsKeptMax } from './limits.ts';

export interface Claim {
  /** `epochOfNobody` if there is no such actor. */
  readonly epoch: number;
  /** The state last committed under this epoch, which the next activation reuses; null: it must read the state. */
  state: unknown;
}

/** The claims of this process. A claim outlasts its activation and holds until the actor is claimed again. */
export interface Claims {
  /** @returns undefined if the process has not claimed the actor, or has forgotten the claim */
  get(actorId: string): Claim | undefined;
  forget(actorId: string): void;
  /** Claims the actor in the database. */
  claim(actorId: string): Promise<Claim>;
}

/**
 * Actors that are activated at the same time are claimed together.
 * @param claim raises the epochs of actors, and returns them by id, without actors that do not exist
 */
export function createClaims(
  claim: (actorIds: readonly string[]) => Promise<ReadonlyMap<string, number>>,
): Claims {
  const claims = new Map<string, Claim>();
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
    get: (actorId) => claims.get(actorId),
    forget: (actorId) => void claims.delete(actorId),
    claim: async (actorId) => {
      const claimed = { epoch: await claiming.ask(actorId), state: null };
      if (claimed.epoch === epochOfNobody) return claimed;
      const [oldest] = claims.keys();
      if (oldest !== undefined && claims.size >= claimsKeptMax) claims.delete(oldest);
      claims.set(actorId, claimed);
      return claimed;
    },
  };
}
