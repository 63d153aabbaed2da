/**
 * Callers that wait in memory for something that Redis counts over all processes. Redis is asked for one of them at a time,
 * which keeps the order of their turns.
 */
import { type Claimant, TurnOrder } from './turns.ts';

export class WaitingLine<Caller extends { readonly claimant: Claimant }, Given> {
  readonly order = new TurnOrder();
  readonly #callers = new Map<Caller, (given: Given) => void>();
  readonly #ask: () => Promise<number | null>;
  #isAsking = false;
  #hasJoined = false;
  #retry: ReturnType<typeof setTimeout> | null = null;

  /**
   * @param ask gives some of the callers what they wait for. Returns the pause in ms after which it continues; null if it
   *   continues only when somebody joins, or on `handOut`.
   */
  constructor(ask: () => Promise<number | null>) {
    this.#ask = ask;
  }

  get size(): number {
    return this.#callers.size;
  }

  callers(): MapIterator<Caller> {
    return this.#callers.keys();
  }

  /**
   * @param begin is called with what the caller is given, before the next caller is chosen
   * @returns what `begin` returned; rejects if the signal fires first
   */
  join<T>(caller: Caller, begin: (given: Given) => T, signal: AbortSignal | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#callers.delete(caller);
        reject(signal?.reason);
      };
      this.#callers.set(caller, (given) => {
        signal?.removeEventListener('abort', onAbort);
        resolve(begin(given));
      });
      signal?.addEventListener('abort', onAbort, { once: true });
      void this.handOut();
    });
  }

  /** @returns false if the caller has given up in the meantime */
  give(caller: Caller, given: Given): boolean {
    const begin = this.#callers.get(caller);
    this.#callers.delete(caller);
    begin?.(given);
    return begin !== undefined;
  }

  /** @param atOnce whether to skip the rest of a pause, because something has become free */
  async handOut(atOnce = false): Promise<void> {
    this.#hasJoined = true;
    if (this.#isAsking || (this.#retry !== null && !atOnce)) return;
    this.#isAsking = true;
    let pauseMs: number | null = null;
    while (this.#hasJoined && pauseMs === null) {
      this.#hasJoined = false;
      pauseMs = await this.#ask();
    }
    this.#isAsking = false;
    if (pauseMs === null) return;
    this.#retry ??= setTimeout(() => {
      this.#retry = null;
      void this.handOut();
    }, pauseMs);
  }
}

/** Above this number, unused ones are dropped. */
const rememberedMax = 1_000;

/** The value for a name; made if there is none. */
export function rememberedAt<T>(
  known: Map<string, T>,
  name: string,
  make: () => T,
  isUsed: (one: T) => boolean,
): T {
  const found = known.get(name);
  if (found !== undefined) return found;
  if (known.size >= rememberedMax) for (const [other, one] of known) if (!isUsed(one)) known.delete(other);
  const made = make();
  known.set(name, made);
  return made;
}
