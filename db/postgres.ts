/** The Postgres store on Bun's `SQL`, with a small pool and a timeout on every wait. */
import { SQL as Client, type ReservedSQL } from 'bun';
import { type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/bun-sql';
import { migrate } from 'drizzle-orm/bun-sql/migrator';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { hostUrlsOf } from '#runtime/settings/host-urls.ts';
import { within } from '#runtime/within.ts';
import { openBoundedPool, type PoolBounds, requestBounds, transactionTimeouts } from './bounded-pool.ts';
import { type OpenDatabase, type QueryBuilder, searchTimeoutMs, type Transaction } from './database.ts';
import {
  databaseTimeout,
  DatabaseUnavailableError,
  isDatabaseUnavailable,
  isRetryableConflict,
  OutcomeUnknownError,
} from './errors.ts';
import { assertUpgradable, migrationsFolder, readPostgresHistory } from './migrations.ts';
import { countWritten, keepClient } from './prepared.ts';
import { pooledUrlOf } from './pool-mode.ts';
import { postgresTables } from './schema/postgres.ts';
import {
  type CommitSteps,
  joinableTransaction,
  noCommitSteps,
  pipelined,
  runEffects,
  WrittenBytes,
} from './transaction.ts';

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

/** @param written counts what a transaction writes; without it, nothing does */
function queryBuilderOver(client: Client, written?: WrittenBytes): QueryBuilder {
  const query = drizzle({ client, ...(written && { logger: written }) });
  keepClient(query, client);
  if (written !== undefined) countWritten(query, written);
  return query;
}

/** An arbitrary constant that differs from other programs' advisory locks in the same database. */
const advisoryLockKey = 4_831_977_203n;
const lockWaitMs = 60_000;
const connectTimeoutSeconds = 5;
const greetingTimeoutMs = 8_000;

/** Marks the copy of a move that has not ended. The next move clears such a database, so no hub may use it. */
export const unfinishedMoveTable = 'hub_move';

/**
 * @param isMove whether a move makes the store
 * @throws StartError for the copy of a move that was cut off
 */
export async function migratePostgres(
  given: string,
  folder = migrationsFolder('postgres'),
  isMove = false,
): Promise<void> {
  const { url, isPooled } = pooledUrlOf(given);
  const options = { url, max: 1, prepare: !isPooled, connectionTimeout: connectTimeoutSeconds };
  // A transaction holds the lock, because a session's lock would stay with the pooler. The migrator has its own
  // connection.
  const [holder, client] = [new Client(options), new Client(options)];
  try {
    // A server that hangs must not block a start. The migration itself may take its time.
    await within(greetingTimeoutMs, holder`select 1`, () => databaseTimeout(greetingTimeoutMs));
    await holder.begin(async (tx) => {
      await tx`select set_config('lock_timeout', ${`${lockWaitMs}ms`}, true)`;
      await tx`select pg_advisory_xact_lock(${advisoryLockKey})`;
      if (!isMove) await requireFinished(client);
      assertUpgradable(await readPostgresHistory(client), folder);
      await migrate(drizzle({ client }), { migrationsFolder: folder });
    });
  } finally {
    await Promise.all([holder, client].map((each) => each.close({ timeout: 1 }).catch(() => undefined)));
  }
}

async function requireFinished(client: Client): Promise<void> {
  const [{ exists }] = await client`select to_regclass(${unfinishedMoveTable}) is not null as exists`;
  if (exists !== true) return;
  throw new StartError(
    'The database is the unfinished copy of `hub move`. Run the same move again, or set DATABASE_URL to another database.',
    { isSetting: true },
  );
}
