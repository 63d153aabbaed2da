/** As `migrate-sqlite.ts`, for a Postgres store. */
import { SQL } from 'bun';
import { drizzle } from 'drizzle-orm/bun-sql';
import { migrate } from 'drizzle-orm/bun-sql/migrator';
import { StartError } from '#runtime/process/start-error.ts';
import { within } from '#runtime/within.ts';
import { databaseTimeout } from './errors.ts';
import { assertUpgradable, migrationsFolder, readPostgresHistory } from './migrations.ts';
import { pooledUrlOf } from './pool-mode.ts';

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
  const [holder, client] = [new SQL(options), new SQL(options)];
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

async function requireFinished(client: SQL): Promise<void> {
  const [{ exists }] = await client`select to_regclass(${unfinishedMoveTable}) is not null as exists`;
  if (exists !== true) return;
  throw new StartError(
    'The database is the unfinished copy of `hub move`. Run the same move again, or set DATABASE_URL to another database.',
    { isSetting: true },
  );
}
