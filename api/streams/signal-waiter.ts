/** Waits for the next signal on one of several topics, and remembers one that arrives in between. */
import type { Signals } from '#runtime/redis/signals.ts';

export interface SignalWaiter {
  /** Resolves at the next signal, immediately if one has arrived since the last wait, or after `timeoutMs`. */
  next(timeoutMs: number): Promise<void>;
  stop(): void;
}

/** @param aborted ends the current wait */
export function createSignalWaiter(
  signals: Signals,
  topics: readonly string[],
  aborted: AbortSignal,
): SignalWaiter {
  let signalled = false;
  let wake: (() => void) | undefined;
  const onSignal = (): void => {
    signalled = true;
    wake?.();
  };
  const unfollows = topics.map((topic) => signals.follow(topic, onSignal));
  aborted.addEventListener('abort', onSignal, { once: true });
  return {
    next: async (timeoutMs) => {
      if (!signalled) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        wake = undefined;
      }
      signalled = false;
    },
    stop: () => {
      for (const unfollow of unfollows) unfollow();
      aborted.removeEventListener('abort', onSignal);
    },
  };
}
