/** Starts something before the tests of a file or a group, and ends it after them. */
import { afterAll, beforeAll } from 'bun:test';

/**
 * A stand-in for what `start` returns, for tests and hooks. Hooks run in the order of their declaration, so `end` runs
 * before the `afterAll` hooks that follow.
 */
export function useStarted<T extends object>(
  start: () => Promise<T>,
  end: (started: T) => Promise<unknown>,
): T {
  let started: T | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(async () => {
    if (started !== undefined) await end(started);
  });
  return new Proxy({} as T, {
    get: (_, name) => {
      if (started === undefined)
        throw new Error('It is started by beforeAll; use it in tests and hooks only.');
      const value: unknown = Reflect.get(started, name, started);
      return typeof value === 'function' ? value.bind(started) : value;
    },
  });
}
