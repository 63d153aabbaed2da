/** Runs a group of tests on each store: a new SQLite file and a new Postgres database. */
import { Database as SqliteFile } from 'bun:sqlite';
import { describe } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSetting, OpenDatabase } from '#db/database.ts';
import type { Dialect } from '#db/dialect.ts';
import { migrateSqlite, openSqlite } from '#db/sqlite.ts';
import { openDatabase } from '#db/open-database.ts';
import { openPostgres } from '#db/postgres.ts';
import { useStarted } from './use-started.ts';
import { createTestDatabase } from './postgres.ts';

/** Each connection of a short-lived process costs more than the statements it runs. */
const testPoolSize = '4';

export interface TestStore {
  readonly dialect: Dialect;
  /** Migrated, shared by the tests of the group, and open from its first `beforeAll`. */
  readonly db: OpenDatabase;
  /** Opens the same store again, as another process does. */
  readonly setting: DatabaseSetting;
}

/** If set, the tests of the other store are left out: `npm test` takes SQLite, `npm run test:long` Postgres. */
const onlyStore = process.env['TEST_STORE'];

/** Calls `define` in one `describe` per store. */
export function forEachStore(define: (store: TestStore) => void): void {
  onStore('sqlite', define);
  onStore('postgres', define);
}

/** Calls `define` for one store, for groups whose stores have a file each. */
export function onStore(dialect: Dialect, define: (store: TestStore) => void): void {
  if (onlyStore !== undefined && onlyStore !== dialect) return;
  describe(`on ${dialect}`, () => {
    const store = useScratchStore(dialect);
    define({
      dialect,
      get db() {
        return store.db;
      },
      get setting() {
        return store.setting;
      },
    });
  });
}

export interface ScratchStore extends AsyncDisposable {
  readonly db: OpenDatabase;
  readonly setting: DatabaseSetting;
  /** Closes the store and deletes its data. */
  readonly remove: () => Promise<void>;
}

/** Opens a migrated store. The caller removes it, for instance by `await using`. */
export async function openScratchStore(dialect: Dialect): Promise<ScratchStore> {
  return openPlace(await createPlace(dialect, { migrated: true }));
}

async function openPlace({ setting, ...place }: StorePlace): Promise<ScratchStore> {
  const db = await open(setting);
  const remove = async (): Promise<void> => {
    await db.close();
    await place.remove();
  };
  return { db, setting, remove, [Symbol.asyncDispose]: remove };
}

/** A copy of a migrated store needs no migration. The external server of `TEST_POSTGRES_URL` has no store to copy. */
function open(setting: DatabaseSetting): OpenDatabase | Promise<OpenDatabase> {
  if (process.env['TEST_POSTGRES_URL']) return openDatabase(setting);
  return setting.kind === 'sqlite' ? openSqlite(setting.file) : openPostgres(setting.url);
}

export function useScratchStore(dialect: Dialect): ScratchStore {
  return useStarted(
    () => openScratchStore(dialect),
    (store) => store.remove(),
  );
}

export interface StorePlace {
  readonly setting: DatabaseSetting;
  readonly remove: () => Promise<void>;
}

/** A place for a store, which is not yet migrated unless asked for. */
export async function createPlace(dialect: Dialect, { migrated = false } = {}): Promise<StorePlace> {
  if (dialect === 'sqlite') return createSqlitePlace(migrated ? await migratedSqliteFile() : null);
  const database = await createTestDatabase({ migrated });
  const url = new URL(database.url);
  // Only here: earlier versions of the hub, which some tests run on an empty store, refuse the parameter.
  if (migrated) url.searchParams.set('pool_size', testPoolSize);
  return { setting: { kind: 'postgres', url: url.href }, remove: () => database.drop() };
}

async function createSqlitePlace(content: Uint8Array | null) {
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-store-'));
  const setting = { kind: 'sqlite', file: join(folder, 'hub.sqlite') } as const;
  if (content !== null) await writeFile(setting.file, content, { mode: 0o600 });
  return { setting, remove: () => rm(folder, { recursive: true, force: true }) };
}

let migratedFile: Promise<Uint8Array> | undefined;

/** The content of a migrated store, because a migration costs twenty times as much as a copy. */
function migratedSqliteFile(): Promise<Uint8Array> {
  migratedFile ??= (async () => {
    const { setting, remove } = await createSqlitePlace(null);
    await migrateSqlite(setting.file);
    const client = new SqliteFile(setting.file);
    const content = client.serialize();
    client.close();
    await remove();
    return content;
  })();
  return migratedFile;
}
