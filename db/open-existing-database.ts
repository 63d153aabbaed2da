/**
 * Opens the existing store of a hub, for tools that run beside it. They neither create nor migrate a store: a
 * newer tool must not change the schema under a running hub, and a tool in the wrong folder must not report
 * on an empty hub.
 */
import { accessSync } from 'node:fs';
import { StartError } from '#runtime/process/start-error.ts';
import type { DatabaseSetting, OpenDatabase } from './database.ts';
import { isMissingTable, SchemaTooOldError } from './errors.ts';
import { guardFreeze } from './transaction.ts';
import { explainOpenFailure } from './explain-open-failure.ts';
import { assertUpgradable, isUsable, migrationsFolder, readHistory } from './migrations.ts';

/** @throws StartError when the store is missing, cannot be opened, or has the schema of another version */
export async function openExistingDatabase(setting: DatabaseSetting): Promise<OpenDatabase> {
  if (setting.kind === 'sqlite') assertPresent(setting.file);
  try {
    const db = await open(setting);
    try {
      await assertCurrent(db);
      return guardFreeze(db);
    } catch (error) {
      await db.close();
      throw error;
    }
  } catch (error) {
    throw explainOpenFailure(setting, error) ?? error;
  }
}

function assertPresent(file: string): void {
  try {
    accessSync(file);
  } catch (cause) {
    const isForbidden = cause instanceof Error && 'code' in cause && cause.code === 'EACCES';
    throw new StartError(
      isForbidden
        ? `This user may not open ${file}. Run the command as the user of the hub, or as root.`
        : `There is no database at ${file}. Set DATA_DIR or DATABASE_URL to the value that the hub uses.`,
      { isSetting: true, cause },
    );
  }
}

async function open(setting: DatabaseSetting): Promise<OpenDatabase> {
  switch (setting.kind) {
    case 'sqlite': {
      const { openSqlite } = await import('./sqlite.ts');
      return openSqlite(setting.file);
    }
    case 'postgres': {
      const { openPrimaryPatiently } = await import('./open-primary.ts');
      return openPrimaryPatiently(setting.url, setting.namedBy);
    }
  }
}

async function assertCurrent(db: OpenDatabase): Promise<void> {
  const history = await readHistory(db).catch((cause: unknown) => {
    if (isMissingTable(cause)) return [];
    throw cause;
  });
  assertUpgradable(history, migrationsFolder(db.dialect));
  if (!isUsable(history, db)) {
    throw new SchemaTooOldError('The store lacks migrations of this version.');
  }
}
