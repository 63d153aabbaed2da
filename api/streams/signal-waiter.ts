/** Waits for signals on topics, and for what they announce. */
import { accessTopic, requireValidToken } from '#domain/agents/bearer-tokens.ts';
import type { Signals } from '#runtime/redis/signals.ts';
import type { Call } from '../endpoint.ts';

export interface SignalWaiter {
  /** Resolves at the next signal, immediately if one has arrived since the last wait, or after `timeoutMs`. */
  next(timeoutMs: number): Promise<void>;
  stop(): void;
}

/**
 * Remembers a signal that arrives between two waits.
 * @param aborted ends the current wait
 */
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

interface AwaitInput<T> {
  readonly topic: string;
  /** 0 returns immediately. */
  readonly waitSeconds: number;
  readonly read: () => Promise<T>;
  /** Whether the agent waits for no more than this. */
  readonly isEnough: (found: T) => boolean;
}

/**
 * Reads the store once, and again after each signal and at the end of the wait. A lost signal therefore only delays the
 * response, and agents that wait cost the store nothing.
 * @throws DomainError invalid_token, agent_suspended if the agent lost its access while waiting
 */
export async function awaitChange<T>(
  { ctx, deps, signal }: Pick<Call<'agent'>, 'ctx' | 'deps' | 'signal'>,
  { topic, waitSeconds, read, isEnough }: AwaitInput<T>,
): Promise<T> {
  if (waitSeconds === 0) return read();
  // The client disconnects, or the process shuts down.
  const over = AbortSignal.any([signal(), deps.ending]);
  const waiter = createSignalWaiter(deps.signals, [topic, accessTopic(ctx.agent.id)], over);
  const endsAt = performance.now() + waitSeconds * 1_000;
  try {
    for (;;) {
      const found = await read();
      const leftMs = endsAt - performance.now();
      if (isEnough(found) || leftMs <= 0 || over.aborted) return found;
      await waiter.next(leftMs);
      await requireValidToken(ctx);
    }
  } finally {
    waiter.stop();
  }
}
