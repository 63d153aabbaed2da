/** Opens the store that the settings name and brings its schema up to date. */
import type { OpenDatabase } from './database.ts';
import { explainOpenFailure } from './explain-open-failure.ts';
import { migratePostgres, migrateSqlite } from './migrate.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

export type DatabaseSetting =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** @throws StartError when the store cannot be reached, opened or migrated, in words for the operator */
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
