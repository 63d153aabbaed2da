/**
 * Opens the store of a hub that is there, for tools beside it. They neither make a store nor migrate one: a tool of a newer
 * version must not change the schema under a hub that runs, and one in the wrong folder must not find an empty hub in order.
 */
import { existsSync } from 'node:fs';
import { StartError } from '#runtime/process/start-error.ts';
import { patientBounds } from './bounded-pool.ts';
import type { OpenDatabase } from './database.ts';
import { isMissingTable } from './errors.ts';
import { explainOpenFailure, SchemaTooNewError, SchemaTooOldError } from './explain-open-failure.ts';
import { newestApplied, newestMigration } from './is-migrated.ts';
import type { DatabaseSetting } from './open-database.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

/** @throws StartError when the store is not there, cannot be opened, or has the schema of another version */
export async function openExistingDatabase(setting: DatabaseSetting): Promise<OpenDatabase> {
  if (setting.kind === 'sqlite' && !existsSync(setting.file)) {
    throw new StartError(
      `There is no database at ${setting.file}. Set DATA_DIR or DATABASE_URL to those of the hub.`,
      { isSetting: true },
    );
  }
  try {
    const db = open(setting);
    try {
      await assertCurrent(db);
      return db;
    } catch (error) {
      await db.close();
      throw error;
    }
  } catch (error) {
    throw explainOpenFailure(setting, error) ?? error;
  }
}

function open(setting: DatabaseSetting): OpenDatabase {
  switch (setting.kind) {
    case 'sqlite':
      return openSqlite(setting.file);
    case 'postgres':
      return openPostgres(setting.url, patientBounds);
  }
}

async function assertCurrent(db: OpenDatabase): Promise<void> {
  const applied = await newestApplied(db).catch((cause: unknown) => {
    if (isMissingTable(cause)) return 0;
    throw cause;
  });
  const newest = newestMigration(db.dialect);
  if (applied > newest)
    throw new SchemaTooNewError('The store has migrations that this version does not know.');
  if (applied < newest) throw new SchemaTooOldError('The store lacks migrations of this version.');
}
