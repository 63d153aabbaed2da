/** Shares the slots of one resource within this process. Callers without a slot wait in memory. */
import { type Claimant, TurnOrder } from './turn-order.ts';

export interface LocalTurns {
  /** Resolves with a function that releases the slot; rejects if the signal fires first. */
  take(claimant: Claimant, signal: AbortSignal | undefined): Promise<() => void>;
}

interface Waiting {
  readonly claimant: Claimant;
  readonly begin: () => void;
}

/** This share of the slots is reserved for agents and networks that have used little slot-time lately. */
const shareForNew = 0.25;

export function createLocalTurns(max: number, now?: () => number): LocalTurns {
  const order = new TurnOrder(now);
  const openToAll = max - Math.floor(max * shareForNew);
  const waiting = new Set<Waiting>();
  let held = 0;

  function hold(claimant: Claimant): () => void {
    const end = order.hold(claimant);
    held += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      end();
      held -= 1;
      admitNext();
    };
  }

  function isOpenTo(claimant: Claimant): boolean {
    return held < openToAll || (held < max && order.isNew(claimant));
  }

  function admitNext(): void {
    const next = order.next(
      held < openToAll ? waiting : [...waiting].filter(({ claimant }) => isOpenTo(claimant)),
    );
    if (next === undefined) return;
    waiting.delete(next);
    next.begin();
  }

  return {
    take: (claimant, signal) => {
      signal?.throwIfAborted();
      if (isOpenTo(claimant)) return Promise.resolve(hold(claimant));
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          waiting.delete(one);
          reject(signal?.reason);
        };
        const one: Waiting = {
          claimant,
          begin: () => {
            signal?.removeEventListener('abort', onAbort);
            resolve(hold(claimant));
          },
        };
        waiting.add(one);
        signal?.addEventListener('abort', onAbort, { once: true });
      });
    },
  };
}
