/** Replaces a SQLite store that no process has open with a checked copy, and keeps the old one. */
import { Database as SqliteFile } from 'bun:sqlite';
import { existsSync, renameSync } from 'node:fs';
import { isSqliteBusy } from '../errors.ts';
import { withMigrationLock } from '../sqlite.ts';
import { linkOrRename } from './link-or-rename.ts';

/** A process has the store open. */
export class StoreInUseError extends Error {
  override readonly name = 'StoreInUseError';
}

export interface Replacement {
  /** The path in the settings, which hubs lock. */
  readonly store: string;
  /** The file itself: another path if `store` is a symbolic link. */
  readonly place: string;
  /** On the same disk. */
  readonly copy: string;
  /** Where to keep the old store, on the same disk. No file may exist there. */
  readonly aside: string;
}

/**
 * The store's path always names a file. Otherwise a hub that starts during the swap would create an empty
 * store.
 * @returns whether there was a store to replace
 * @throws StoreInUseError
 */
export function replaceStore({ store, place, copy, aside }: Replacement): boolean {
  // A hub that starts now waits for this lock before it opens the store.
  return withMigrationLock(store, () => {
    const existed = existsSync(place);
    if (existed) {
      settleLog(place, aside);
      linkOrRename(place, aside);
    }
    renameSync(copy, place);
    return existed;
  });
}

const logSuffixes = ['-wal', '-shm'];

/**
 * Writes the log back into the store, so that one file holds everything. Leaving WAL mode takes a lock that
 * SQLite grants only when no other connection is open, in this process or another.
 */
function settleLog(store: string, aside: string): void {
  try {
    const present = new SqliteFile(store, { readwrite: true, create: false, strict: true });
    try {
      present.run('PRAGMA busy_timeout = 0');
      present.run('PRAGMA journal_mode = DELETE');
    } finally {
      present.close();
    }
  } catch (error) {
    if (isSqliteBusy(error)) throw new StoreInUseError('A process has the database open.', { cause: error });
    // The store may be damaged, which is a reason to restore. Keep it with its log, and keep that log from
    // the new store.
  }
  for (const suffix of logSuffixes) {
    if (existsSync(store + suffix)) renameSync(store + suffix, aside + suffix);
  }
}
