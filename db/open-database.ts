/**
 * Opens the store in the settings and upgrades its schema. It refuses a store that accepts no writes, and stores nothing while the hub is frozen. A process loads
 * the driver and builds the tables of one store only: those of the other would lengthen its start.
 */
import type { DatabaseSetting, OpenDatabase } from './database.ts';
import { guardFreeze } from './transaction.ts';
import { explainOpenFailure } from './explain-open-failure.ts';
import { tryWrite } from './try-write.ts';

/**
 * @param sqliteCacheKib see `openSqlite`
 * @throws StartError when the store cannot be reached, opened or migrated, with a message for the operator
 */
export async function openDatabase(setting: DatabaseSetting, sqliteCacheKib?: number): Promise<OpenDatabase> {
  try {
    const db = await migrateAndOpen(setting, sqliteCacheKib);
    try {
      // A disk with little room can still be read from.
      await tryWrite(db, 0);
      return guardFreeze(db);
    } catch (error) {
      await db.close();
      throw error;
    }
  } catch (error) {
    throw explainOpenFailure(setting, error) ?? error;
  }
}

async function migrateAndOpen(setting: DatabaseSetting, sqliteCacheKib?: number): Promise<OpenDatabase> {
  switch (setting.kind) {
    case 'sqlite': {
      const { migrateSqlite, openSqlite } = await import('./sqlite.ts');
      await migrateSqlite(setting.file);
      return openSqlite(setting.file, sqliteCacheKib);
    }
    case 'postgres': {
      const { migrateAndOpenPrimary } = await import('./open-primary.ts');
      return migrateAndOpenPrimary(setting.url, setting.namedBy);
    }
  }
}
