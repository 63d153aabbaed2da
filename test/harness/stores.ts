/** Runs a group of tests on each store: a SQLite file of its own, and a Postgres database of its own. */
import { afterAll, beforeAll, describe } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSetting, Dialect, OpenDatabase } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { createTestDatabase, type TestDatabaseOptions } from './postgres.ts';

export interface TestStore {
  readonly dialect: Dialect;
  /** Migrated, and shared by the tests of the group; there from the first `beforeAll` of the group on. */
  readonly db: OpenDatabase;
  /** To open the same store once more, as another process does. */
  readonly setting: DatabaseSetting;
}

/** Calls `define` once for each store, inside a `describe` of its own. */
export function forEachStore(define: (store: TestStore) => void): void {
  onStore('sqlite', define);
  onStore('postgres', define);
}

/** Calls `define` for one store, where a file of its own for each keeps the files short. */
export function onStore(dialect: Dialect, define: (store: TestStore) => void): void {
  describe(`on ${dialect}`, () => {
    let opened: ScratchStore | undefined;
    const scratch = (): ScratchStore => {
      if (opened === undefined)
        throw new Error('The store is opened by beforeAll; use it in tests and hooks only.');
      return opened;
    };
    beforeAll(async () => {
      opened = await openScratchStore(dialect);
    }, 60_000);
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

export interface ScratchStore {
  readonly db: OpenDatabase;
  readonly setting: DatabaseSetting;
  /** Closes the handle and removes what the store has left on disk or in the cluster. */
  remove(): Promise<void>;
}

/** Opens a migrated store. The caller removes it. */
export async function openScratchStore(dialect: Dialect): Promise<ScratchStore> {
  const place = await placeMakers[dialect]({ migrated: true });
  const db = await openDatabase(place.setting);
  return {
    db,
    setting: place.setting,
    remove: async () => {
      await db.close();
      await place.remove();
    },
  };
}

export interface StorePlace {
  readonly setting: DatabaseSetting;
  remove(): Promise<void>;
}

/** An empty place for a store, not yet migrated. */
export function createPlace(dialect: Dialect): Promise<StorePlace> {
  return placeMakers[dialect]({ migrated: false });
}

const placeMakers: Record<Dialect, (options: TestDatabaseOptions) => Promise<StorePlace>> = {
  sqlite: createSqlitePlace,
  postgres: createPostgresPlace,
};

async function createSqlitePlace(): Promise<StorePlace> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-store-'));
  return {
    setting: { kind: 'sqlite', file: join(folder, 'hub.sqlite') },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function createPostgresPlace(options: TestDatabaseOptions): Promise<StorePlace> {
  const database = await createTestDatabase(options);
  return { setting: { kind: 'postgres', url: database.url }, remove: () => database.drop() };
}
