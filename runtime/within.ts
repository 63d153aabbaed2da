/** Bounds the wait for something that has no bound of its own. */

/**
 * What `work` gives, or a rejection with what `late` makes once `timeoutMs` have passed. The work itself goes on; should
 * it fail later, nobody hears of it.
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
