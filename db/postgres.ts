/** The Postgres store on Bun's `SQL`, with a small pool and a timeout on every wait. */
import type { ReservedSQL } from 'bun';
import { type SQL, sql } from 'drizzle-orm';
import { openBoundedPool, type PoolBounds, requestBounds, transactionTimeouts } from './bounded-pool.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { hostUrlsOf } from '#runtime/settings/host-urls.ts';
import { type OpenDatabase, searchTimeoutMs, type Transaction } from './database.ts';
import {
  DatabaseUnavailableError,
  isDatabaseUnavailable,
  isRetryableConflict,
  OutcomeUnknownError,
} from './errors.ts';
import { pooledUrlOf } from './pool-mode.ts';
import { postgresTables } from './schema/postgres.ts';
import { queryBuilderOver } from './send-statement.ts';
import { pipelined } from './pipelined.ts';
import { WrittenBytes } from './written-bytes.ts';
import { type CommitSteps, joinableTransaction, noCommitSteps, runEffects } from './transaction.ts';

const conflictTriesMax = 4;

/** @param primary the primary among the hosts in `url`; the first until proved otherwise */
export function openPostgres(
  url: string,
  bounds: PoolBounds = requestBounds,
  primary = hostUrlsOf(url)[0] ?? url,
): OpenDatabase {
  const pool = openBoundedPool(url, bounds, primary);
  const timeouts = pooledUrlOf(primary).isPooled ? transactionTimeouts(bounds) : null;

  const db: OpenDatabase = {
    dialect: 'postgres',
    tables: postgresTables,
    query: queryBuilderOver(pool.client),
    transaction: async (work) => {
      const { result, steps } = await pool.withConnection((connection) =>
        runWithRetries(connection, timeouts, work),
      );
      runEffects(steps);
      return result;
    },
    search: (work) =>
      db.transaction(async (tx) => {
        await tx.query.execute(sql`select set_config('statement_timeout', ${String(searchTimeoutMs)}, true)`);
        return work(tx);
      }),
    close: () => pool.close(),
  };
  return db;
}

async function runWithRetries<T>(
  connection: ReservedSQL,
  timeouts: SQL | null,
  work: (tx: Transaction) => Promise<T>,
): Promise<{ result: T; steps: CommitSteps }> {
  for (let tries = 1; ; tries += 1) {
    const steps = noCommitSteps();
    try {
      const result = await runOnce(connection, steps, async () => {
        const query = queryBuilderOver(connection, new WrittenBytes());
        if (timeouts !== null) await query.execute(timeouts);
        return work(joinableTransaction('postgres', postgresTables, query, steps));
      });
      crashPoint('transaction.committed');
      return { result, steps };
    } catch (error) {
      if (!isRetryableConflict(error)) throw error;
      if (tries === conflictTriesMax) {
        throw new DatabaseUnavailableError(`The transaction failed with a conflict ${tries} times.`, {
          cause: error,
        });
      }
    }
  }
}

/** The first statement of `work` is sent right behind BEGIN, which saves a round trip. */
async function runOnce<T>(
  connection: ReservedSQL,
  { lastStatements }: CommitSteps,
  work: () => Promise<T>,
): Promise<T> {
  // A tagged template, because the driver does not pipeline statements after a plain string.
  const begun = connection`BEGIN`.execute();
  try {
    const [, result] = await pipelined(begun, work());
    crashPoint('transaction.committing');
    await commit(connection, lastStatements).catch((cause: unknown) => {
      if (!isDatabaseUnavailable(cause)) throw cause;
      throw new OutcomeUnknownError('The reply to COMMIT was lost.', { cause });
    });
    return result;
  } catch (error) {
    // The server rolls back when a connection is closed.
    await connection`ROLLBACK`.catch(() => connection.close({ timeout: 0 }).catch(() => undefined));
    throw error;
  }
}

/** Sends COMMIT right after the last statements. If one of them fails, the server rolls back instead. */
async function commit(connection: ReservedSQL, lastStatements: CommitSteps['lastStatements']): Promise<void> {
  const sent: PromiseLike<unknown>[] = [];
  try {
    for (const send of lastStatements) sent.push(send());
  } catch (error) {
    await Promise.allSettled(sent);
    throw error;
  }
  const committed = connection`COMMIT`.execute();
  await pipelined(...sent, committed);
  const { command } = (await committed) as { command?: string };
  if (command === 'COMMIT') return;
  // A statement failed earlier, and the work of the transaction ignored the error.
  throw new Error(`The server ended the transaction with ${command} instead of COMMIT.`);
}
