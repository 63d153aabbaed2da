/** The parts of a transaction that both stores share. */
import { redactMessage } from '#runtime/tracing/log-redaction.ts';
import type { QueryBuilder, Transaction } from './database.ts';
import type { Dialect } from './dialect.ts';
import type { Tables } from './schema/make-schema.ts';
import { nothingWritten, writtenBy } from './written-bytes.ts';

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
