/** The Postgres store on Bun's `SQL`, with a small pool and a timeout on every wait. */
import type { ReservedSQL } from 'bun';
import { drizzle } from 'drizzle-orm/bun-sql';
import { openBoundedPool, type PoolBounds, requestBounds } from './bounded-pool.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { OpenDatabase, Transaction } from './database.ts';
import { DatabaseUnavailableError, isRetryableConflict } from './errors.ts';
import { postgresTables } from './schema/postgres.ts';
import { joinableTransaction, runEffects } from './transaction.ts';

const conflictTriesMax = 4;

export function openPostgres(url: string, bounds: PoolBounds = requestBounds): OpenDatabase {
  const pool = openBoundedPool(url, bounds);

  return {
    dialect: 'postgres',
    tables: postgresTables,
    query: drizzle({ client: pool.client }),
    transaction: async (work) => {
      const { result, effects } = await pool.withConnection((connection) => runWithRetries(connection, work));
      runEffects(effects);
      return result;
    },
    close: () => pool.close(),
  };
}

async function runWithRetries<T>(
  connection: ReservedSQL,
  work: (tx: Transaction) => Promise<T>,
): Promise<{ result: T; effects: readonly (() => void)[] }> {
  for (let tries = 1; ; tries += 1) {
    const effects: (() => void)[] = [];
    try {
      const result = await drizzle({ client: connection }).transaction(async (query) => {
        const value = await work(joinableTransaction('postgres', postgresTables, query, effects));
        crashPoint('transaction.committing');
        return value;
      });
      crashPoint('transaction.committed');
      return { result, effects };
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
