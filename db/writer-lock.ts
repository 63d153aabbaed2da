/**
 * Lets one transaction at a time use SQLite's writer connection in this process, first come, first served.
 */
import { DatabaseUnavailableError } from './errors.ts';

/**
 * SQLite blocks the thread while it writes. Waiting transactions would run without a break, so other events get a turn
 * this often.
 */
const yieldEveryMs = 20;

/** @param waitMs how long a transaction waits for its turn */
export function createWriterLock(waitMs: number) {
  const waiting = new Set<() => void>();
  let held = false;
  let yieldedAt = 0;

  function release(): void {
    const [next] = waiting;
    if (next === undefined) {
      held = false;
      return;
    }
    waiting.delete(next);
    next();
  }

  function acquire(): Promise<void> {
    if (!held) {
      held = true;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(take);
        reject(new DatabaseUnavailableError(`The writer connection was not free within ${waitMs} ms.`));
      }, waitMs);
      const take = (): void => {
        clearTimeout(timer);
        resolve();
      };
      waiting.add(take);
    });
  }

  return async function withWriterLock<T>(work: () => Promise<T>): Promise<T> {
    await acquire();
    try {
      if (performance.now() - yieldedAt > yieldEveryMs) {
        await new Promise((resolve) => setImmediate(resolve));
        yieldedAt = performance.now();
      }
      return await work();
    } finally {
      release();
    }
  };
}
