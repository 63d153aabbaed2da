/**
 * Copies a store into one SQLite file while the hub uses it. From SQLite, `VACUUM INTO` reads one snapshot and blocks no
 * writer; from Postgres, the rows of one snapshot are moved. The file also holds what a hub needs besides its database, so
 * that nobody can forget it.
 */
import { Database as SqliteFile } from 'bun:sqlite';
import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSetting } from '../database.ts';
import { syncPath } from '../sync-path.ts';
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
  const draft = draftOf(file);
  // Created here to set its mode. SQLite fills an empty file.
  closeSync(openSync(draft, 'wx', ownerOnly));
  return finish(draft, file, notes, () => copyStore(store, draft));
}

/** {@link writeBackup} for any store. */
export async function writeBackupOf(
  setting: DatabaseSetting,
  file: string,
  notes: BackupNotes,
): Promise<number> {
  if (setting.kind === 'sqlite') return writeBackup(setting.file, file, notes);
  const draft = draftOf(file);
  const { moveStore } = await import('../move/move-store.ts');
  await moveStore({
    from: setting,
    to: { kind: 'sqlite', file: draft },
    isLive: true,
    check: async () => undefined,
    onProgress: () => undefined,
  });
  return finish(draft, file, notes, () => undefined);
}

function draftOf(file: string): string {
  return `${file}.${process.pid}.part`;
}

function finish(draft: string, file: string, notes: BackupNotes, copy: () => void): number {
  try {
    copy();
    addNotes(draft, notes);
    syncPath(draft);
    linkOrRename(draft, file);
    syncPath(dirname(file));
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
    // The backup that this copy is for has not ended yet. A restored hub would report it as failed.
    if (copy.query("SELECT 1 FROM sqlite_master WHERE name = 'hub_backups'").get() !== null)
      copy.run('DELETE FROM hub_backups WHERE ended_at IS NULL');
    assertIntegrity(copy);
  } finally {
    copy.close();
  }
}
