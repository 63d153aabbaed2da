/** Bounds the wait for an answer of the store. */
import { DatabaseUnavailableError } from './errors.ts';

/**
 * Gives what `work` gives, or is refused when that takes longer; what `work` comes to afterwards is dropped.
 *
 * @param giveUp called once, past the deadline, to let go of what `work` holds
 * @throws DatabaseUnavailableError after `timeoutMs`
 */
export function within<T>(timeoutMs: number, work: PromiseLike<T>, giveUp: () => void): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new DatabaseUnavailableError(`The database did not answer within ${timeoutMs} ms.`));
      giveUp();
    }, timeoutMs);
    void Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
