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
