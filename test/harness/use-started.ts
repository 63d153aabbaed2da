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
  return standIn(() => {
    if (started === undefined) throw new Error('It is started by beforeAll; use it in tests and hooks only.');
    return started;
  });
}

/** An object that is another one whenever it is used. */
export function standIn<T extends object>(its: () => T): T {
  return new Proxy({} as T, {
    get: (_, name) => {
      const value: unknown = Reflect.get(its(), name, its());
      return typeof value === 'function' ? value.bind(its()) : value;
    },
    set: (_, name, value) => Reflect.set(its(), name, value),
    deleteProperty: (_, name) => Reflect.deleteProperty(its(), name),
    getPrototypeOf: () => Reflect.getPrototypeOf(its()),
    // For spreading.
    ownKeys: () => Reflect.ownKeys(its()),
    getOwnPropertyDescriptor: (_, name) => {
      const own = Reflect.getOwnPropertyDescriptor(its(), name);
      return own === undefined ? undefined : { ...own, configurable: true };
    },
  });
}
