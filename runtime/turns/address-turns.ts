/**
 * Shares the slots (concurrent calls) at each address. Callers wait in memory; only the next one asks Redis, which
 * knows the callers of other processes. After a short call, its slot is kept for the same agent for a moment: a fast
 * run needs a slot for each of its calls, and would otherwise wait for a long call of another agent before each of
 * them.
 */
import type { SharedSlot, SharedTurns } from './shared-turns.ts';
import { type Claimant, TurnOrder } from './turn-order.ts';

const askAgainMs = { least: 10, most: 40 };
/** How long a slot is kept for an agent after a short call. */
const keptMs = 100;
const shortCallMaxMs = 1_000;
/** How long an address counts as contested after another process waited for it. */
const contestedForMs = 5_000;

interface Waiting {
  readonly claimant: Claimant;
  readonly begin: (slot: SharedSlot) => void;
}

interface KeptPlace {
  readonly agentId: string;
  readonly slot: SharedSlot;
  readonly timer: ReturnType<typeof setTimeout>;
}

interface Address {
  readonly name: string;
  readonly order: TurnOrder;
  readonly waiting: Set<Waiting>;
  readonly kept: Set<KeptPlace>;
  /** Includes kept slots. */
  held: number;
  asking: boolean;
  retry: ReturnType<typeof setTimeout> | null;
  contestedUntil: number;
}

/** Above this number, unused addresses are dropped. */
const rememberedMax = 1_000;

export class AddressTurns {
  readonly #shared: SharedTurns;
  readonly #max: number;
  readonly #addresses = new Map<string, Address>();

  /** @param max slots at each address */
  constructor(shared: SharedTurns, max: number) {
    this.#shared = shared;
    this.#max = max;
  }

  /** Resolves with a function that releases the slot; rejects if the signal fires first. */
  take(name: string, claimant: Claimant, signal: AbortSignal | undefined): Promise<() => void> {
    signal?.throwIfAborted();
    const address = this.#addressOf(name);
    const kept = takeKept(address, claimant);
    if (kept !== null) return Promise.resolve(this.#hold(address, claimant, kept));
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        address.waiting.delete(one);
        if (address.waiting.size === 0) this.#shared.withdraw(name);
        reject(signal?.reason);
      };
      const one: Waiting = {
        claimant,
        begin: (slot) => {
          signal?.removeEventListener('abort', onAbort);
          resolve(this.#hold(address, claimant, slot));
        },
      };
      address.waiting.add(one);
      signal?.addEventListener('abort', onAbort, { once: true });
      void this.#handOut(address);
    });
  }

  #addressOf(name: string): Address {
    const known = this.#addresses.get(name);
    if (known !== undefined) return known;
    if (this.#addresses.size >= rememberedMax) this.#forgetUnused();
    const address: Address = {
      name,
      order: new TurnOrder(),
      waiting: new Set(),
      kept: new Set(),
      held: 0,
      asking: false,
      retry: null,
      contestedUntil: 0,
    };
    this.#addresses.set(name, address);
    return address;
  }

  #forgetUnused(): void {
    for (const [name, { held, waiting }] of this.#addresses)
      if (held === 0 && waiting.size === 0) this.#addresses.delete(name);
  }

  /** Requests slots until none is free or nobody waits. One request at a time, to keep the order of callers. */
  async #handOut(address: Address, hasFreed = false): Promise<void> {
    // Redis has just refused a slot, and the request is repeated soon.
    if (address.asking || (address.retry !== null && !hasFreed)) return;
    address.asking = true;
    try {
      while (address.held < this.#max) {
        const next = address.order.next(address.waiting);
        if (next === undefined) break;
        const slot = await this.#shared.take(address.name, next.claimant);
        if (slot === null || slot.contested) address.contestedUntil = performance.now() + contestedForMs;
        if (slot === null) {
          this.#askAgainLater(address);
          break;
        }
        address.held += 1;
        // The caller may have given up in the meantime.
        if (address.waiting.delete(next)) next.begin(slot);
        else giveBack(address, slot, 0);
      }
    } finally {
      address.asking = false;
    }
  }

  #askAgainLater(address: Address): void {
    const pauseMs = askAgainMs.least + Math.random() * (askAgainMs.most - askAgainMs.least);
    address.retry ??= setTimeout(() => {
      address.retry = null;
      void this.#handOut(address);
    }, pauseMs);
  }

  #hold(address: Address, claimant: Claimant, slot: SharedSlot): () => void {
    const end = address.order.hold(claimant);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const tookMs = end();
      if (tookMs < shortCallMaxMs && isWorthKeeping(address, claimant)) {
        void this.#keep(address, claimant, slot, tookMs);
        return;
      }
      giveBack(address, slot, tookMs);
      void this.#handOut(address, true);
    };
  }

  /** Keeps the slot unless a caller in another process comes before the agent. */
  async #keep(address: Address, claimant: Claimant, slot: SharedSlot, heldMs: number): Promise<void> {
    const giveUp = (): void => {
      clearTimeout(timer);
      if (!address.kept.delete(kept)) return;
      giveBack(address, slot, heldMs);
      void this.#handOut(address, true);
    };
    const timer = setTimeout(giveUp, keptMs);
    const kept = { agentId: claimant.agentId, slot, timer };
    address.kept.add(kept);
    const isContested = performance.now() < address.contestedUntil;
    if (isContested && !(await this.#shared.isFirst(address.name, claimant))) giveUp();
  }
}

function giveBack(address: Address, slot: SharedSlot, heldMs: number): void {
  address.held -= 1;
  slot.release(heldMs);
}

function isWorthKeeping({ waiting, order, contestedUntil }: Address, claimant: Claimant): boolean {
  if (waiting.size === 0) return performance.now() < contestedUntil;
  return order.isFirst(claimant, waiting);
}

function takeKept(address: Address, claimant: Claimant): SharedSlot | null {
  const kept = address.kept.values().find(({ agentId }) => agentId === claimant.agentId);
  if (kept === undefined) return null;
  clearTimeout(kept.timer);
  address.kept.delete(kept);
  return kept.slot;
}
