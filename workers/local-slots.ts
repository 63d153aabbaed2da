/** Limits concurrency per name within this process. Callers over the limit wait in line. */

export interface LocalSlots {
  /** Resolves with a function that releases the slot; rejects if the signal fires first. */
  take(name: string, signal: AbortSignal | undefined): Promise<() => void>;
}

interface Line {
  taken: number;
  readonly waiting: Set<() => void>;
}

export function createLocalSlots(max: number): LocalSlots {
  const lines = new Map<string, Line>();

  function release(name: string, line: Line): void {
    const [next] = line.waiting;
    if (next !== undefined) {
      line.waiting.delete(next);
      next();
      return;
    }
    line.taken -= 1;
    if (line.taken === 0) lines.delete(name);
  }

  return {
    take: (name, signal) => {
      signal?.throwIfAborted();
      const line = lines.get(name) ?? { taken: 0, waiting: new Set() };
      lines.set(name, line);
      const giveBack = once(() => release(name, line));
      if (line.taken < max) {
        line.taken += 1;
        return Promise.resolve(giveBack);
      }
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          line.waiting.delete(onTurn);
          reject(signal?.reason);
        };
        const onTurn = (): void => {
          signal?.removeEventListener('abort', onAbort);
          resolve(giveBack);
        };
        line.waiting.add(onTurn);
        signal?.addEventListener('abort', onAbort, { once: true });
      });
    },
  };
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}
