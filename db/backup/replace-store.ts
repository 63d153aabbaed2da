/** Puts a checked copy in the place of a SQLite store that no process has open, and keeps the one that was there. */
import { Database as SqliteFile } from 'bun:sqlite';
import { existsSync, renameSync } from 'node:fs';
import { isSqliteBusy } from '../errors.ts';
import { withMigrationLock } from '../migrate.ts';
import { linkOrRename } from './link-or-rename.ts';

/** Some process has the store open. */
export class StoreInUseError extends Error {
  override readonly name = 'StoreInUseError';
}

export interface Replacement {
  /** As the settings name it, which is what hubs lock. */
  readonly store: string;
  /** Where it lies: elsewhere, if that is a symbolic link. */
  readonly place: string;
  /** On the same disk. */
  readonly copy: string;
  /** Where the present store goes, on the same disk; nothing may be there. */
  readonly aside: string;
}

/**
 * The name of the store is not without a file in between, in which a hub that is started would begin an empty one.
 * @returns whether there was one
 * @throws StoreInUseError
 */
export function replaceStore({ store, place, copy, aside }: Replacement): boolean {
  // Whoever starts meanwhile waits for this lock before it opens the store.
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
 * Writes the log back into the store, so that the one file is all of it. Leaving WAL mode takes a lock that SQLite gives to
 * nobody while another connection is open, in this process or any other.
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
    // Damage may be the very reason for restoring. It is kept as it is, with its log, which the new store must not meet.
  }
  for (const suffix of logSuffixes) {
    if (existsSync(store + suffix)) renameSync(store + suffix, aside + suffix);
  }
}
