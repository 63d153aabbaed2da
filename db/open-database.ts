/** Opens the store in the settings and upgrades its schema. */
import { requestBounds } from './bounded-pool.ts';
import type { DatabaseSetting, OpenDatabase } from './database.ts';
import { explainOpenFailure } from './explain-open-failure.ts';
import { migratePostgres, migrateSqlite } from './migrate.ts';
import { requirePoolMode } from './pool-mode.ts';
import { findPrimary } from './postgres-hosts.ts';
import { openPostgres } from './postgres.ts';
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
