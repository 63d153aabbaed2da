/** Looks whether a file is a whole backup of a hub that this version can run on, and takes out what is not of the store. */
import { Database as SqliteFile } from 'bun:sqlite';
import { newestMigration } from '../is-migrated.ts';
import { appliedToSqlite } from '../migrate.ts';
import { type BackupNotes, notesTable } from './backup-notes.ts';

/** The file is no backup, is damaged, or is of a newer version; the message is for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export interface CheckedBackup {
  /** Null for a plain copy of a store, which has none. */
  readonly notes: BackupNotes | null;
  /** It lacks migrations of this version, which the next start brings. */
  readonly isOlder: boolean;
}

/**
 * Checks a copy that nobody else has open, and leaves the hub's own tables in it.
 * @throws BackupError
 */
export function settleBackup(file: string): CheckedBackup {
  const copy = new SqliteFile(file, { readwrite: true, create: false, strict: true });
  try {
    assertIntegrity(copy);
    const applied = appliedToSqlite(copy);
    if (applied === 0) throw new BackupError('It is a SQLite database, and none of a hub.');
    const newest = newestMigration('sqlite');
    if (applied > newest) {
      throw new BackupError('It was made by a newer version of the hub. Restore it with that version.');
    }
    return { notes: takeNotes(copy), isOlder: applied < newest };
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^SQLITE_(NOTADB|CORRUPT)/.test(String(error.code))) {
      throw new BackupError('It is no SQLite database, or is damaged.', { cause: error });
    }
    throw error;
  } finally {
    copy.close();
  }
}

/** @throws BackupError naming the first fault that SQLite finds */
export function assertIntegrity(copy: SqliteFile): void {
  const row = copy.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').get();
  if (row?.integrity_check === 'ok') return;
  throw new BackupError(`It is damaged: ${row?.integrity_check ?? 'nothing can be read'}.`);
}

interface NotesRow {
  readonly made_at: string;
  readonly version: string;
  readonly secret_key: string | null;
}

function takeNotes(copy: SqliteFile): BackupNotes | null {
  const has = copy.query('select 1 from sqlite_master where name = ?').get(notesTable);
  if (has === null) return null;
  const row = copy.query<NotesRow, []>(`select made_at, version, secret_key from ${notesTable}`).get();
  // The key must not stay behind in pages that are free.
  copy.run('PRAGMA secure_delete = ON');
  copy.run(`DROP TABLE ${notesTable}`);
  if (row === null) return null;
  return { madeAt: new Date(row.made_at), version: row.version, secretKey: row.secret_key };
}
