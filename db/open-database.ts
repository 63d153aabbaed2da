/** Opens the store in the settings and upgrades its schema. */
import { requestBounds } from './bounded-pool.ts';
import type { DatabaseSetting, OpenDatabase } from './database.ts';
import { explainOpenFailure } from './explain-open-failure.ts';
import { migratePostgres, migrateSqlite } from './migrate.ts';
import { isBehindTransactionPooler, pooledUrlOf } from './pool-mode.ts';
import { findPrimary } from './postgres-hosts.ts';
import { openPostgres } from './postgres.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { openSqlite } from './sqlite.ts';

/**
 * @throws StartError when the store cannot be reached, opened or migrated, with a message for the operator
 */
export async function openDatabase(setting: DatabaseSetting): Promise<OpenDatabase> {
  try {
    return await migrateAndOpen(setting);
  } catch (error) {
    throw explainOpenFailure(setting, error) ?? error;
  }
}

async function migrateAndOpen(setting: DatabaseSetting): Promise<OpenDatabase> {
  switch (setting.kind) {
    case 'sqlite':
      await migrateSqlite(setting.file);
      return openSqlite(setting.file);
    case 'postgres':
      return openPrimary(setting.url);
  }
}

async function openPrimary(url: string): Promise<OpenDatabase> {
  const primary = await findPrimary(url);
  await requirePoolMode(primary);
  await migratePostgres(primary);
  return openPostgres(url, requestBounds, primary);
}

/** Without the setting, a prepared statement would fail later, with an unhelpful message. */
async function requirePoolMode(url: string): Promise<void> {
  if (pooledUrlOf(url).isPooled || !(await isBehindTransactionPooler(url))) return;
  throw new StartError(
    'DATABASE_URL leads to a pooler that assigns a server connection per transaction. Add pool_mode=transaction to its ' +
      'query (…?pool_mode=transaction), or connect to Postgres itself.',
    { isSetting: true },
  );
}
