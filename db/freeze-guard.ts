/**
 * Keeps a frozen hub from storing anything. Every write is in a transaction, so a transaction on a frozen hub is refused,
 * or, for a request that reads, run and rolled back: what it would have stored is computed and not saved.
 *
 * A process reads the freeze at most every two seconds, when it is used, and trusts what it has read for four. Work that
 * was under way when the hub was frozen may finish within a grace, so that no mail is sent twice.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { and, eq } from 'drizzle-orm';
import type { Database, OpenDatabase } from './database.ts';
import { StoreFrozenError } from './errors.ts';
import { freezeSetting } from './schema/hub-tables.ts';
import { isLastChange } from './schema/index-conditions.ts';

export interface Freeze {
  readonly frozenAt: Date;
  readonly reason: string | null;
}

const freshForMs = 2_000;
const trustedForMs = 4_000;
/** From the freeze on, transactions of work under way may still commit for this time. */
export const freezeGraceMs = 10_000;
/**
 * After this time nothing is stored any more: the grace, then what a process may not have read yet, then the longest
 * transaction.
 */
export const freezeSettlesMs = freezeGraceMs + trustedForMs + 8_000;

/** How a transaction on a frozen hub ends: it is stored, or rolled back with its result. */
type Exception = 'store' | 'discard';
const exceptions = new AsyncLocalStorage<Exception>();

/** Runs a read. What it would store is rolled back if the hub is frozen. */
export function discardingWrites<T>(work: () => T): T {
  return exceptions.run('discard', work);
}

/** Runs what ends the freeze itself. */
export function storingWhileFrozen<T>(work: () => T): T {
  return exceptions.run('store', work);
}

const watches = new WeakMap<Database, FreezeWatch>();

/**
 * The freeze in force, at most a few seconds old; null if there is none, and for a store that is not guarded. A promise
 * only if the store must be asked.
 */
export function freezeOf(db: Database): Freeze | null | Promise<Freeze | null> {
  return watches.get(db)?.read() ?? null;
}

/** @returns the same store, which stores nothing while the hub is frozen */
export function guardFreeze(db: OpenDatabase): OpenDatabase {
  const watch = new FreezeWatch(db);
  const guarded: OpenDatabase = {
    ...db,
    transaction: async (work) => {
      const read = watch.read();
      const freeze = read instanceof Promise ? await read : read;
      const isOver = freeze !== null && Date.now() - freeze.frozenAt.getTime() >= freezeGraceMs;
      const exception = freeze === null ? 'store' : exceptions.getStore();
      if (exception === 'store' || (exception === undefined && !isOver)) return db.transaction(work);
      if (exception === undefined) throw new StoreFrozenError();
      return discard(db, work);
    },
  };
  watches.set(guarded, watch);
  return guarded;
}

/** Carries the result out of a transaction that is rolled back. */
class Discarded<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super('The hub is frozen, so the transaction is rolled back.');
    this.result = result;
  }
}

async function discard<T>(db: OpenDatabase, work: Parameters<typeof db.transaction<T>>[0]): Promise<T> {
  try {
    return await db.transaction<never>(async (tx) => {
      throw new Discarded(await work(tx));
    });
  } catch (error) {
    // Only this function throws it, with the result of `work`.
    if (error instanceof Discarded) return error.result as T;
    throw error;
  }
}

class FreezeWatch {
  readonly #db: OpenDatabase;
  #freeze: Freeze | null = null;
  #readAt = -Infinity;
  #reading: Promise<Freeze | null> | null = null;

  constructor(db: OpenDatabase) {
    this.#db = db;
  }

  /** Reads ahead while the last answer is still trusted, so that a busy process never waits. */
  read(): Freeze | null | Promise<Freeze | null> {
    const ageMs = performance.now() - this.#readAt;
    if (ageMs < freshForMs) return this.#freeze;
    this.#reading ??= this.#readStore().finally(() => (this.#reading = null));
    if (ageMs >= trustedForMs) return this.#reading;
    // If the store does not respond, the next reader that no longer trusts the last answer gets the error.
    this.#reading.catch(() => undefined);
    return this.#freeze;
  }

  async #readStore(): Promise<Freeze | null> {
    const askedAt = performance.now();
    this.#freeze = await readFreeze(this.#db);
    this.#readAt = askedAt;
    return this.#freeze;
  }
}

/** The freeze in force, from the store; null if there is none. */
export async function readFreeze({ query, tables }: Database): Promise<Freeze | null> {
  const { settingChanges } = tables;
  const [last] = await query
    .select({ reason: settingChanges.after, frozenAt: settingChanges.createdAt })
    .from(settingChanges)
    .where(and(eq(settingChanges.name, freezeSetting), isLastChange(settingChanges)));
  if (last === undefined || last.reason === null) return null;
  return { frozenAt: last.frozenAt, reason: last.reason === '' ? null : last.reason };
}
