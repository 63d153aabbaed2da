/**
 * Copies a SQLite store that may be in use into one file. `VACUUM INTO` reads one snapshot, whatever is written meanwhile,
 * and keeps no writer waiting. What a hub needs beside its database goes into the file too, so that nobody has to think of it.
 */
import { Database as SqliteFile } from 'bun:sqlite';
import { closeSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { linkOrRename } from './link-or-rename.ts';
import { assertIntegrity, type BackupNotes, notesTable } from './settle-backup.ts';

const busyTimeoutMs = 10_000;
const ownerOnly = 0o600;

/**
 * Writes under a name of its own first, so that there is never half a backup under the real one.
 * @returns the size in bytes
 * @throws with code EEXIST when there is a file of that name; it is left as it is
 */
export function writeBackup(store: string, file: string, notes: BackupNotes): number {
  const draft = `${file}.${process.pid}.part`;
  // Made here for its mode: SQLite fills an empty file.
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
