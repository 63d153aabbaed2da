/** Runs a group of tests on each store: a new SQLite file and a new Postgres database. */
import { Database as SqliteFile } from 'bun:sqlite';
import { afterAll, beforeAll, describe } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSetting, OpenDatabase } from '#db/database.ts';
import type { Dialect } from '#db/dialect.ts';
import { migrateSqlite, openSqlite } from '#db/sqlite.ts';
import { openDatabase } from '#db/open-database.ts';
import { openPostgres } from '#db/postgres.ts';
import { useStarted } from './use-started.ts';
import { createTestDatabase, type TestDatabaseOptions } from './postgres.ts';

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
    let opened: ScratchStore | undefined;
    const scratch = (): ScratchStore => {
      if (opened === undefined)
        throw new Error('The store is opened by beforeAll; use it in tests and hooks only.');
      return opened;
    };
    beforeAll(async () => {
      opened = await openScratchStore(dialect);
    });
    afterAll(() => opened?.remove());
    define({
      dialect,
      get db() {
        return scratch().db;
      },
      get setting() {
        return scratch().setting;
      },
    });
  });
}

export interface ScratchStore extends AsyncDisposable {
  readonly db: OpenDatabase;
  readonly setting: DatabaseSetting;
  /** Closes the store and deletes its data. */
  remove(): Promise<void>;
}

/** Opens a migrated store. The caller removes it, for instance by `await using`. */
export async function openScratchStore(dialect: Dialect): Promise<ScratchStore> {
  return openPlace(await placeMakers[dialect]({ migrated: true }));
}

/** Opens a SQLite store with the content of another one. The caller removes it. */
export async function openCopy(content: Uint8Array): Promise<ScratchStore> {
  return openPlace(await createSqlitePlace(content));
}

/** The content of a SQLite store, which may be open. */
export function contentOf({ setting }: Pick<ScratchStore, 'setting'>): Uint8Array {
  if (setting.kind !== 'sqlite') throw new Error('Only a SQLite store has its content in a file.');
  const client = new SqliteFile(setting.file);
  const content = client.serialize();
  client.close();
  return content;
}

async function openPlace(place: StorePlace): Promise<ScratchStore> {
  const db = await open(place.setting);
  return {
    db,
    setting: place.setting,
    remove: async () => {
      await db.close();
      await place.remove();
    },
    async [Symbol.asyncDispose](this: ScratchStore) {
      await this.remove();
    },
  };
}

/** A copy of a migrated store needs no migration. The external server of `TEST_POSTGRES_URL` has no store to copy. */
function open(setting: DatabaseSetting): OpenDatabase | Promise<OpenDatabase> {
  if (process.env['TEST_POSTGRES_URL']) return openDatabase(setting);
  return setting.kind === 'sqlite' ? openSqlite(setting.file) : openPostgres(setting.url);
}

/** A migrated store for the tests of a file or a group. */
export function useScratchStore(dialect: Dialect): ScratchStore {
  return useStarted(
    () => openScratchStore(dialect),
    (store) => store.remove(),
  );
}

export interface StorePlace {
  readonly setting: DatabaseSetting;
  remove(): Promise<void>;
}

/** A place for a store that is not yet migrated. */
export function createPlace(dialect: Dialect): Promise<StorePlace> {
  return placeMakers[dialect]({ migrated: false });
}

const placeMakers: Record<Dialect, (options: TestDatabaseOptions) => Promise<StorePlace>> = {
  sqlite: async ({ migrated = false }) => createSqlitePlace(migrated ? await migratedSqliteFile() : null),
  postgres: createPostgresPlace,
};

async function createSqlitePlace(content: Uint8Array | null): Promise<StorePlace> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-store-'));
  const file = join(folder, 'hub.sqlite');
  if (content !== null) await writeFile(file, content, { mode: 0o600 });
  return { setting: { kind: 'sqlite', file }, remove: () => rm(folder, { recursive: true, force: true }) };
}

let migratedFile: Promise<Uint8Array> | undefined;

/** The content of a migrated store, because a migration costs twenty times as much as a copy. */
function migratedSqliteFile(): Promise<Uint8Array> {
  migratedFile ??= (async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agent-hub-store-'));
    const file = join(folder, 'hub.sqlite');
    await migrateSqlite(file);
    const content = contentOf({ setting: { kind: 'sqlite', file } });
    await rm(folder, { recursive: true });
    return content;
  })();
  return migratedFile;
}

async function createPostgresPlace(options: TestDatabaseOptions): Promise<StorePlace> {
  const database = await createTestDatabase(options);
  const url = new URL(database.url);
  // Only here: earlier versions of the hub, which some tests run on an empty store, refuse the parameter.
  if (options.migrated === true) url.searchParams.set('pool_size', testPoolSize);
  return { setting: { kind: 'postgres', url: url.href }, remove: () => database.drop() };
}
