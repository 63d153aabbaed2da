/**
 * Copies a SQLite store into one file while the hub uses it. `VACUUM INTO` reads one snapshot and blocks no
 * writer. The file also holds what a hub needs besides its database, so that nobody can forget it.
 */
import { Database as SqliteFile } from 'bun:sqlite';
import { closeSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { linkOrRename } from './link-or-rename.ts';
import { assertIntegrity, type BackupNotes, notesTable } from './settle-backup.ts';

const busyTimeoutMs = 10_000;
const ownerOnly = 0o600;

/**
 * Writes to a draft first, so that `file` is never half a backup.
 * @returns the size in bytes
 * @throws with code EEXIST when `file` exists; it is left as it is
 */
export function writeBackup(store: string, file: string, notes: BackupNotes): number {
  const draft = `${file}.${process.pid}.part`;
  // Created here to set its mode. SQLite fills an empty file.
  closeSync(openSync(draft, 'wx', ownerOnly));
  try {
    copyStore(store, draft);
    addNotes(draft, notes);
    syncFile(draft);
    linkOrRename(draft, file);
    syncFile(dirname(file));
  } finally {
    rmSync(draft, { force: true });
  }
  return statSync(file).size;
}

function copyStore(store: string, draft: string): void {
  const source = new SqliteFile(store, { readwrite: true, create: false, strict: true });
  try {
    source.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    source.run('VACUUM INTO ?', [draft]);
  } finally {
    source.close();
  }
}

function addNotes(draft: string, { madeAt, version, secretKey }: BackupNotes): void {
  const copy = new SqliteFile(draft, { readwrite: true, create: false, strict: true });
  try {
    copy.run(
      `CREATE TABLE ${notesTable} (made_at TEXT NOT NULL, version TEXT NOT NULL, secret_key TEXT) STRICT`,
    );
    copy.run(`INSERT INTO ${notesTable} VALUES (?, ?, ?)`, [madeAt.toISOString(), version, secretKey]);
    assertIntegrity(copy);
  } finally {
    copy.close();
  }
}

function syncFile(file: string): void {
  const descriptor = openSync(file, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
