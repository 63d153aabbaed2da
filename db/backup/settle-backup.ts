/**
 * Checks that a file is a complete backup of a hub that this version can run, and removes the backup's notes
 * from it.
 */
import { Database as SqliteFile } from 'bun:sqlite';
import { isUsableKey } from '#runtime/settings/kept-key.ts';
import { applySqliteMigrations } from '../sqlite.ts';
import { firstMigration, migrationsFolder, newestMigration, readSqliteHistory } from '../migrations.ts';

/** What a backup holds besides the hub's tables. */
export interface BackupNotes {
  readonly madeAt: Date;
  /** Version of the hub that made the copy. */
  readonly version: string;
  /** The key that the hub made for itself; null when the operator keeps it elsewhere. */
  readonly secretKey: string | null;
}

export const notesTable = 'hub_backup';

/** The file is not a backup, is damaged, or is from a newer version. The message is for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export interface CheckedBackup {
  /** Null for a plain copy of a store. */
  readonly notes: BackupNotes | null;
  /** It lacks migrations of this version. The next start applies them. */
  readonly isOlder: boolean;
}

/**
 * Checks a copy that no other process has open. Afterwards one file holds the hub's tables and nothing else.
 * @throws BackupError
 */
export function settleBackup(file: string): CheckedBackup {
  const copy = new SqliteFile(file, { readwrite: true, create: false, strict: true });
  try {
    assertIntegrity(copy);
    assertOfHub(copy);
    assertNothingForeign(copy);
    const applied = Math.max(...readSqliteHistory(copy));
    const newest = newestMigration('sqlite');
    if (applied > newest) {
      throw new BackupError('It was made by a newer version of the hub. Restore it with that version.');
    }
    const notes = takeNotes(copy);
    // Writes a log that came with the copy back into it.
    copy.run('PRAGMA journal_mode = DELETE');
    return { notes, isOlder: applied < newest };
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^SQLITE_(NOTADB|CORRUPT)/.test(String(error.code))) {
      throw new BackupError('It is not a SQLite database, or it is damaged.', { cause: error });
    }
    throw error;
  } finally {
    copy.close();
  }
}

/** @throws BackupError with the first fault that SQLite reports */
export function assertIntegrity(copy: SqliteFile): void {
  const row = copy.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').get();
  if (row?.integrity_check === 'ok') return;
  throw new BackupError(`It is damaged: ${row?.integrity_check ?? 'nothing is readable'}.`);
}

/** Other programs use the same migrator, and their table may have any shape. */
function assertOfHub(copy: SqliteFile): void {
  const applied = isTable(copy, migrationsTable) ? rowsOf(copy, migrationsTable) : [];
  const first = firstMigration(migrationsFolder('sqlite'));
  if (!applied.some(({ created_at }) => created_at === first)) {
    throw new BackupError('It is a SQLite database, but not one that this hub can upgrade.');
  }
}

/** What the migrations and SQLite make. Search tables have shadow tables of their own. */
function knownObjects(): ReadonlySet<string> {
  using made = new SqliteFile(':memory:', { strict: true });
  applySqliteMigrations(made);
  return new Set(
    objectsOf(made).map(({ type, name, sql }) => (type === 'trigger' ? `${name} ${sql}` : name)),
  );
}

/**
 * A trigger or view would change, or pretend, what the hub reads and writes later.
 * @throws BackupError
 */
function assertNothingForeign(copy: SqliteFile): void {
  const known = knownObjects();
  const foreign = objectsOf(copy).filter(
    ({ type, name, sql }) => name !== notesTable && !known.has(type === 'trigger' ? `${name} ${sql}` : name),
  );
  if (foreign.length === 0) return;
  const names = foreign
    .slice(0, namedMax)
    .map(({ type, name }) => `${type} ${name}`)
    .join(', ');
  throw new BackupError(
    `It contains objects that no hub creates: ${names}. Remove them if you do not need them.`,
  );
}

const namedMax = 10;

function objectsOf(copy: SqliteFile) {
  return copy
    .query<{ type: string; name: string; sql: string }, []>(
      "select type, name, sql from sqlite_master where type in ('trigger', 'view', 'table') and name not like 'sqlite\\_%' escape '\\'",
    )
    .all();
}

const migrationsTable = '__drizzle_migrations';

function takeNotes(copy: SqliteFile): BackupNotes | null {
  const has = copy.query('select 1 from sqlite_master where name = ?').get(notesTable);
  if (has === null) return null;
  const [row, ...others] = isTable(copy, notesTable) ? rowsOf(copy, notesTable) : [];
  const notes = row === undefined || others.length > 0 ? null : readNotes(row);
  if (notes === null) throw new BackupError('Its notes about the backup are damaged.');
  // The key must not remain in free pages.
  copy.run('PRAGMA secure_delete = ON');
  copy.run(`DROP TABLE ${notesTable}`);
  return notes;
}

function readNotes({ made_at, version, secret_key }: Row): BackupNotes | null {
  if (typeof made_at !== 'string' || typeof version !== 'string') return null;
  if (secret_key !== null && (typeof secret_key !== 'string' || !isUsableKey(secret_key))) return null;
  const madeAt = new Date(made_at);
  return Number.isNaN(madeAt.getTime()) ? null : { madeAt, version, secretKey: secret_key };
}

type Row = Readonly<Record<string, unknown>>;
/** Far more than there will be migrations. */
const rowsMax = 1_000;

function isTable(copy: SqliteFile, name: string): boolean {
  return copy.query("select 1 from sqlite_master where type = 'table' and name = ?").get(name) !== null;
}

/** @param table one of the constants above, since it becomes part of the statement */
function rowsOf(copy: SqliteFile, table: string): readonly Row[] {
  return copy.query<Row, []>(`select * from ${table} limit ${rowsMax}`).all();
}
