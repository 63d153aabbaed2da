/**
 * Shares the slots (concurrent calls) at each address. Callers wait in memory; only the next one asks Redis, which
 * knows the callers of other processes. After a short call, its slot is kept for the same agent for a moment: a fast
 * run needs a slot for each of its calls, and would otherwise wait for a long call of another agent before each of
 * them.
 */
import type { SharedSlot, SharedTurns } from './shared-turns.ts';
import type { Claimant } from './turns.ts';
import { rememberedAt, WaitingLine } from './waiting-line.ts';

const askAgainMs = { least: 10, most: 40 };
/** How long a slot is kept for an agent after a short call. */
const keptMs = 100;
const shortCallMaxMs = 1_000;
/** How long an address counts as contested after another process waited for it. */
const contestedForMs = 5_000;

interface KeptPlace {
  readonly agentId: string;
  readonly slot: SharedSlot;
  readonly timer: ReturnType<typeof setTimeout>;
}

interface Address {
  readonly name: string;
  readonly line: WaitingLine<{ readonly claimant: Claimant }, SharedSlot>;
  readonly kept: Set<KeptPlace>;
  /** Includes kept slots. */
  held: number;
  contestedUntil: number;
}

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
  async take(name: string, claimant: Claimant, signal: AbortSignal | undefined): Promise<() => void> {
    signal?.throwIfAborted();
    const address = this.#addressOf(name);
    const kept = takeKept(address, claimant);
    if (kept !== null) return this.#hold(address, claimant, kept);
    try {
      return await address.line.join({ claimant }, (slot) => this.#hold(address, claimant, slot), signal);
    } finally {
      if (signal?.aborted === true && address.line.size === 0) this.#shared.withdraw(name);
    }
  }

  #addressOf(name: string): Address {
    const make = (): Address => {
      const line: Address['line'] = new WaitingLine(() => this.#askFor(address));
      const address = { name, line, kept: new Set<KeptPlace>(), held: 0, contestedUntil: 0 };
      return address;
    };
    return rememberedAt(this.#addresses, name, make, ({ held, line }) => held > 0 || line.size > 0);
  }

  /** Takes slots until none is free or nobody waits. */
  async #askFor(address: Address): Promise<number | null> {
    const { line } = address;
    while (address.held < this.#max) {
      const next = line.order.next(line.callers());
      if (next === undefined) break;
      const slot = await this.#shared.take(address.name, next.claimant);
      if (slot === null || slot.contested) address.contestedUntil = performance.now() + contestedForMs;
      if (slot === null) return askAgainMs.least + Math.random() * (askAgainMs.most - askAgainMs.least);
      address.held += 1;
      if (!line.give(next, slot)) giveBack(address, slot, 0);
    }
    return null;
  }

  #hold(address: Address, claimant: Claimant, slot: SharedSlot): () => void {
    const end = address.line.order.hold(claimant);
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
      void address.line.handOut(true);
    };
  }

  /** Keeps the slot unless a caller in another process comes before the agent. */
  async #keep(address: Address, claimant: Claimant, slot: SharedSlot, heldMs: number): Promise<void> {
    const giveUp = (): void => {
      clearTimeout(timer);
      if (!address.kept.delete(kept)) return;
      giveBack(address, slot, heldMs);
      void address.line.handOut(true);
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

function isWorthKeeping({ line, contestedUntil }: Address, claimant: Claimant): boolean {
  if (line.size === 0) return performance.now() < contestedUntil;
  return line.order.isFirst(claimant, line.callers());
}

function takeKept(address: Address, claimant: Claimant): SharedSlot | null {
  const kept = address.kept.values().find(({ agentId }) => agentId === claimant.agentId);
  if (kept === undefined) return null;
  clearTimeout(kept.timer);
  address.kept.delete(kept);
  return kept.slot;
}
