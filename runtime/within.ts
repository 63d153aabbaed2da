/** Bounds the wait for something that has no timeout of its own. */

/**
 * Returns the result of `work`, or rejects with the error from `late` after `timeoutMs`. The work itself
 * continues, and a later failure is ignored.
 */
export async function within<T>(timeoutMs: number, work: PromiseLike<T>, late: () => Error): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), timeoutMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the result of `work`, or rejects with the reason of the signal if it fires first. The work itself continues. */
export async function unlessAborted<T>(work: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  const { promise: interruption, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  try {
    return await Promise.race([work, interruption]);
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
