/**
 * What transactions have on both stores: whether a frozen hub lets them, what follows their work, how many bytes they
 * write, and their locks. SQLite needs no locks: one of its transactions holds the whole file from the first statement.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { and, eq, sql } from 'drizzle-orm';
import { redactMessage } from '#runtime/tracing/log-redaction.ts';
import type { Database, OpenDatabase, QueryBuilder, Transaction, Written } from './database.ts';
import type { Dialect } from './dialect.ts';
import { StoreFrozenError } from './errors.ts';
import { prepareOnce, type WriteCounter, writtenBy } from './prepared.ts';
import { freezeSetting } from './schema/hub-tables.ts';
import { isLastChange } from './schema/index-conditions.ts';
import type { Tables } from './schema/make-schema.ts';

/** What remains to be done when the work of a transaction is done. */
export interface CommitSteps {
  /** What `atCommit` registered. */
  readonly lastStatements: (() => PromiseLike<unknown>)[];
  /** What `afterCommit` registered. */
  readonly effects: (() => void)[];
}

export function noCommitSteps(): CommitSteps {
  return { lastStatements: [], effects: [] };
}

/** A transaction that runs nested ones as part of itself. */
export function joinableTransaction(
  dialect: Dialect,
  tables: Tables,
  query: QueryBuilder,
  { lastStatements, effects }: CommitSteps,
): Transaction {
  const tx: Transaction = {
    dialect,
    tables,
    query,
    transaction: (work) => work(tx),
    search: (work) => work(tx),
    afterCommit: (effect) => void effects.push(effect),
    atCommit: (send) => void lastStatements.push(send),
    written: () => writtenBy(query) ?? nothingWritten,
  };
  return tx;
}

/**
 * Runs the effects of a committed transaction. It has succeeded whatever they do, so an effect that throws becomes a
 * warning of the process, and the next one still runs.
 */
export function runEffects({ effects }: CommitSteps): void {
  for (const effect of effects) {
    try {
      effect();
    } catch (error) {
      const message =
        error instanceof Error ? redactMessage(error) : 'something other than an error was thrown';
      process.emitWarning(`An effect after a commit failed: ${message}`);
    }
  }
}

/** What a row takes besides its values: its header, and its places in indexes. */
const bytesPerStatement = 100;

/** Ids, hashes and instants are shorter. */
const textsFromCharacters = 65;

/** Counts the bytes given to `insert` and `update`, so that what strangers store can be bounded. */
export class WrittenBytes implements WriteCounter {
  bytes = 0;
  textBytes = 0;

  reset(): void {
    this.bytes = 0;
    this.textBytes = 0;
  }

  /** Drizzle calls it with each statement that it sends, and its parameters as the driver gets them. */
  logQuery(text: string, parameters: readonly unknown[]): void {
    if (!/^(insert|update)/.test(text)) return;
    this.bytes += bytesPerStatement;
    // What an update looks for is stored already.
    const stored = text.startsWith('update') ? parameters.slice(0, settingParameters(text)) : parameters;
    for (const value of stored) {
      const size = typeof value === 'string' ? Buffer.byteLength(value) : 8;
      this.bytes += size;
      if (typeof value === 'string' && value.length >= textsFromCharacters) this.textBytes += size;
    }
  }
}

/** How many parameters of an update stand before its condition. */
function settingParameters(text: string): number {
  const [setting = ''] = text.split(' where ', 1);
  return setting.match(/\$\d+|\?/g)?.length ?? 0;
}

const nothingWritten: Written = { bytes: 0, textBytes: 0 };

/**
 * Sends statements without waiting for each result. On Postgres that saves a round trip per statement. A
 * connection runs them in order, so each sees the writes of those before it.
 * Resolves with all results or rejects with the first error, but only after every statement has ended: one
 * that outlived its transaction would join the next transaction on the connection.
 */
export async function pipelined<Results extends readonly unknown[]>(
  ...statements: { readonly [Index in keyof Results]: PromiseLike<Results[Index]> }
): Promise<Results> {
  const outcomes = await Promise.allSettled(statements);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
    // One result per statement, in order.
  }) as unknown as Results;
}

/** A select whose rows Postgres can lock. */
interface LockableSelect<Locked> {
  for(strength: 'update' | 'no key update' | 'key share'): Locked;
}

/**
 * Locks the rows of `select` until the transaction ends. All transactions lock in one order, or they deadlock, and one
 * runs again a second later: first what a verb changes, such as a challenge, a thread, a work order, a request or a run;
 * then token accounts; then agents; then suites; then feeds. Order the select, by id.
 */
export function lockRows<Query extends LockableSelect<unknown>>(db: Database, select: Query): Query {
  switch (db.dialect) {
    case 'sqlite':
      return select;
    case 'postgres':
      select.for('update'); // Drizzle changes the select in place.
      return select;
  }
}

/**
 * Like `lockRows`, but other transactions may insert rows that refer to these. For agents, to which most rows refer, and
 * for a transaction that has inserted such rows itself: with `lockRows`, two of them would deadlock.
 */
export function lockReferencedRows<Query extends LockableSelect<unknown>>(
  db: Database,
  select: Query,
): Query {
  if (db.dialect === 'postgres') select.for('no key update'); // Drizzle changes the select in place.
  return select;
}

/**
 * Like `lockRows`, but only prevents others from deleting the rows or locking them with it. Many transactions may share
 * this lock.
 */
export function shareRows<Query extends LockableSelect<unknown>>(db: Database, select: Query): Query {
  if (db.dialect === 'postgres') select.for('key share'); // Drizzle changes the select in place.
  return select;
}

/**
 * Holds `name` until the transaction ends, where there is no row to lock. Postgres identifies the lock by a hash, so
 * two names may share one. That costs a wait and nothing else.
 */
export async function lockName(tx: Transaction, name: string): Promise<void> {
  switch (tx.dialect) {
    case 'sqlite':
      return;
    case 'postgres':
      await tx.query.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
  }
}

const postgresTransactionsMax = 3;

/** How many transactions of one process are worth running at the same time: SQLite has one writer. */
export function concurrentTransactionsMax({ dialect }: Database): number {
  switch (dialect) {
    case 'sqlite':
      return 1;
    case 'postgres':
      return postgresTransactionsMax;
  }
}

/**
 * Every write is in a transaction, so a transaction on a frozen hub is refused, or, for a request that reads, run and
 * rolled back: what it would have stored is computed and not saved.
 *
 * A process reads the freeze at most every two seconds, when it is used, and trusts what it has read for four. Work that
 * was under way when the hub was frozen may finish within a grace, so that no mail is sent twice.
 */
export interface Freeze {
  readonly frozenAt: Date;
  readonly reason: string | null;
}

const freezeTimes = {
  freshForMs: 2_000,
  trustedForMs: 4_000,
  /** From the freeze on, transactions of work under way may still commit for this time. */
  graceMs: 10_000,
};
/**
 * After this time nothing is stored any more: the grace, then what a process may not have read yet, then the longest
 * transaction.
 */
export const freezeSettlesMs = freezeTimes.graceMs + freezeTimes.trustedForMs + 8_000;

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
export function guardFreeze(db: OpenDatabase, times = freezeTimes): OpenDatabase {
  const watch = new FreezeWatch(db, times);
  const guarded: OpenDatabase = {
    ...db,
    transaction: async (work) => {
      const read = watch.read();
      const freeze = read instanceof Promise ? await read : read;
      const isOver = freeze !== null && watch.isGraceOver(freeze);
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
  readonly #times: typeof freezeTimes;
  #freeze: Freeze | null = null;
  #readAt = -Infinity;
  /** A process that starts during a freeze has no work under way, so for it the grace is over. */
  #frozenSince = -Infinity;
  #reading: Promise<Freeze | null> | null = null;

  constructor(db: OpenDatabase, times: typeof freezeTimes) {
    this.#db = db;
    this.#times = times;
  }

  /** Reads ahead while the last answer is still trusted, so that a busy process never waits. */
  read(): Freeze | null | Promise<Freeze | null> {
    const ageMs = performance.now() - this.#readAt;
    if (ageMs < this.#times.freshForMs) return this.#freeze;
    this.#reading ??= this.#readStore().finally(() => (this.#reading = null));
    if (ageMs >= this.#times.trustedForMs) return this.#reading;
    // If the store does not respond, the next reader that no longer trusts the last answer gets the error.
    this.#reading.catch(() => undefined);
    return this.#freeze;
  }

  /** Also counts from when this process last saw no freeze, because its clock may be behind that of the operator. */
  isGraceOver({ frozenAt }: Freeze): boolean {
    const agesMs = [Date.now() - frozenAt.getTime(), performance.now() - this.#frozenSince];
    return Math.max(...agesMs) >= this.#times.graceMs;
  }

  async #readStore(): Promise<Freeze | null> {
    const askedAt = performance.now();
    const freeze = await readFreeze(this.#db);
    const wasFree = this.#freeze === null && this.#readAt !== -Infinity;
    if (freeze !== null && wasFree) this.#frozenSince = this.#readAt;
    this.#freeze = freeze;
    this.#readAt = askedAt;
    return this.#freeze;
  }
}

/** The freeze in force, from the store; null if there is none. */
export async function readFreeze(db: Database): Promise<Freeze | null> {
  const [last] = await selectFreeze(db).execute();
  if (last === undefined || last.reason === null) return null;
  return { frozenAt: last.frozenAt, reason: last.reason === '' ? null : last.reason };
}

const selectFreeze = prepareOnce(({ query, tables: { settingChanges } }) =>
  query
    .select({ reason: settingChanges.after, frozenAt: settingChanges.createdAt })
    .from(settingChanges)
    .where(and(eq(settingChanges.name, freezeSetting), isLastChange(settingChanges)))
    .prepare('find_freeze'),
);
