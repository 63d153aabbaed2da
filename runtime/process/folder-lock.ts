/**
 * A lock on a folder that one process holds for as long as it lives. The kernel drops it with the process, however that
 * ends, so there is no stale lock; SQLite's exclusive lock on an empty file is the portable way to it.
 */
import { Database } from 'bun:sqlite';
import { join } from 'node:path';

const lockFile = 'lock';
/** A lock whose last reference is gone would be let go with it, whenever the garbage is collected. */
const held = new Set<Database>();

export interface FolderLock {
  release(): void;
}

/** Locks an existing folder, or gives null when another process (or this one) holds it. */
export function lockFolder(folder: string): FolderLock | null {
  const database = new Database(join(folder, lockFile), { create: true });
  try {
    database.run('PRAGMA busy_timeout = 0');
    database.run('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
  held.add(database);
  return {
    release: () => {
      held.delete(database);
      database.close();
    },
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY';
}
