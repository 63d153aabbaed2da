/**
 * The parts of a transaction that both stores share: what follows its work, how many bytes it writes, and its locks. SQLite
 * needs no locks: one of its transactions holds the whole file from the first statement.
 */
import { sql } from 'drizzle-orm';
import { redactMessage } from '#runtime/tracing/log-redaction.ts';
import type { Database, QueryBuilder, Transaction, Written } from './database.ts';
import type { Dialect } from './dialect.ts';
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
export class WrittenBytes implements Written {
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

const counts = new WeakMap<QueryBuilder, WrittenBytes>();

export function countWritten(query: QueryBuilder, written: WrittenBytes): void {
  counts.set(query, written);
}

/** The count of the transaction behind the query builder; undefined outside transactions. */
export function writtenBy(query: QueryBuilder): WrittenBytes | undefined {
  return counts.get(query);
}

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
 * Locks the rows of `select` until the transaction ends. Order the select, so that all transactions lock in one order.
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
 * Like `lockRows`, but other transactions may insert rows that refer to these. For a transaction that has inserted such
 * rows itself: with `lockRows`, two of them would deadlock.
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
