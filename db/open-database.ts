/** Opens the store in the settings and upgrades its schema. */
import type { DatabaseSetting, OpenDatabase } from './database.ts';
import { explainOpenFailure } from './explain-open-failure.ts';
import { migratePostgres, migrateSqlite } from './migrate.ts';
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
      await migratePostgres(setting.url);
      return openPostgres(setting.url);
  }
}
