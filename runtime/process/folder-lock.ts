/**
 * A lock on a folder, held by one process for as long as it lives. The kernel releases it however the process
 * ends, so no lock goes stale. SQLite's exclusive lock on an empty file is a portable way to get this.
 */
import { Database } from 'bun:sqlite';
import { join } from 'node:path';

const lockFile = 'lock';
/** Keeps a reference to each lock. Garbage collection would release it. */
const held = new Set<Database>();

export interface FolderLock {
  release(): void;
}

/** Locks an existing folder. Returns null when a process, possibly this one, holds the lock. */
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
