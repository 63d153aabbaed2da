/** The actors that are active in this process. Each has at most one activation at a time. */
import type { ActorAddress } from './actor-type.ts';

export interface ActiveActors {
  readonly count: () => number;
  /**
   * Activates an actor after its current activation, if any, has ended. After a pause (SIGSTOP, suspend), a process may
   * be given an actor that is still active in it.
   */
  run(address: ActorAddress, activate: () => Promise<void>): Promise<void>;
  /**
   * Waits until the actor is not active.
   * @returns false immediately if an earlier call is waiting; its caller then activates the actor for both
   */
  ended(address: ActorAddress): Promise<boolean>;
  allEnded(): Promise<void>;
}

export function createActiveActors(): ActiveActors {
  const active = new Map<ActorAddress, Promise<void>>();
  const awaited = new Set<ActorAddress>();

  async function run(address: ActorAddress, activate: () => Promise<void>): Promise<void> {
    while (active.has(address)) await active.get(address);
    const activation = activate().finally(() => active.delete(address));
    active.set(address, activation);
    await activation;
  }

  return {
    count: () => active.size,
    run,
    ended: async (address) => {
      if (awaited.has(address)) return false;
      awaited.add(address);
      while (active.has(address)) await active.get(address);
      awaited.delete(address);
      return true;
    },
    allEnded: async () => {
      while (active.size > 0) await Promise.all(active.values());
    },
  };
}
