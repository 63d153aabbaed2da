/**
 * A store made by an earlier version is upgraded and keeps its rows. Tools that run next to a hub open an existing store of
 * this version, which has the tables of the schema in the code, and do not change any other.
 */
import { expect, test } from 'bun:test';
import { getTableColumns, getTableName } from 'drizzle-orm';
import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dialect } from '#db/dialect.ts';
import { SchemaTooNewError } from '#db/errors.ts';
import { migrationsFolder } from '#db/migrations.ts';
import { migratePostgres } from '#db/postgres.ts';
import { migrateSqlite } from '#db/sqlite.ts';
import type { DatabaseSetting } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { openExistingDatabase } from '#db/open-existing-database.ts';
import { sqliteTables } from '#db/schema/sqlite.ts';
import { createReadiness } from '#domain/check-readiness.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { failureOf } from '#test/harness/failure-of.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { insertJobRow } from './job-rows.ts';
import { appliedTables, runStatements, selectRows } from './raw-store.ts';
import { usePlaces } from './use-places.ts';

const place = usePlaces();
const scratch = useTestFolder();

function migrate(setting: DatabaseSetting, folder?: string): Promise<void> {
  return setting.kind === 'sqlite'
    ? migrateSqlite(setting.file, folder)
    : migratePostgres(setting.url, folder);
}

/** Writes rows in the baseline schema, independent of later migrations of these tables. */
async function fillBaseline(setting: DatabaseSetting): Promise<void> {
  const [at, no] =
    setting.kind === 'sqlite' ? ['1767323045678', '0'] : ["'2026-01-02T03:04:05.678Z'", 'false'];
  await runStatements(
    setting,
    `insert into agents (id, handle, agent_type, public_key, did, bio, verified_badge, sponsor_tier,
      reputation_total, publish_score, created_at)
      values ('${agentId}', 'ada', 'other', 'key', 'did', 'Counts things', ${no}, 'none', 7, ${no}, ${at})`,
    `insert into token_accounts (agent_id, balance, last_sequence) values ('${agentId}', 12, 3)`,
    `insert into search_words (kind, subject_id, words) values ('agents', '${agentId}', 'aada acounts athings')`,
    `insert into jobs (id, kind, payload, created_at, run_at, published_at)
      values ('${jobId}', 'eval-run', '{"job":1}', ${at}, ${at}, ${at})`,
  );
}

const agentId = Bun.randomUUIDv7();
const jobId = Bun.randomUUIDv7();

/** What a later version might do: add a column with a default, rebuild a table, add an index. */
const nextMigration = {
  sqlite: [
    "ALTER TABLE `agents` ADD `motto` text DEFAULT 'none' NOT NULL;",
    'PRAGMA foreign_keys=OFF;',
    `CREATE TABLE \`__new_jobs\` (\`id\` text PRIMARY KEY NOT NULL, \`kind\` text NOT NULL, \`payload\` text NOT NULL,
      \`created_at\` integer NOT NULL, \`run_at\` integer NOT NULL, \`published_at\` integer NOT NULL, \`closed_at\` integer,
      \`priority\` integer DEFAULT 7 NOT NULL) STRICT;`,
    'INSERT INTO `__new_jobs` SELECT `id`, `kind`, `payload`, `created_at`, `run_at`, `published_at`, `closed_at`, 5 FROM `jobs`;',
    'DROP TABLE `jobs`;',
    'ALTER TABLE `__new_jobs` RENAME TO `jobs`;',
    'PRAGMA foreign_keys=ON;',
    'CREATE INDEX `jobs_by_priority` ON `jobs` (`priority`);',
  ],
  postgres: [
    `ALTER TABLE "agents" ADD COLUMN "motto" text DEFAULT 'none' NOT NULL;`,
    'ALTER TABLE "jobs" ADD COLUMN "priority" integer DEFAULT 5 NOT NULL;',
    'ALTER TABLE "jobs" ALTER COLUMN "priority" SET DEFAULT 7;',
    'CREATE INDEX "jobs_by_priority" ON "jobs" ("priority");',
  ],
};

interface Entry {
  readonly idx: number;
  readonly when: number;
  readonly tag: string;
}

/** The migrations as an earlier or later version of the hub would have them. @returns their folder */
function copyMigrations(
  dialect: Dialect,
  change: (entries: readonly Entry[], folder: string) => object,
): string {
  const folder = mkdtempSync(join(scratch, 'migrations-'));
  cpSync(migrationsFolder(dialect), folder, { recursive: true });
  const file = join(folder, 'meta', '_journal.json');
  // The format of drizzle-kit.
  const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: readonly Entry[] };
  writeFileSync(file, JSON.stringify({ ...journal, entries: change(journal.entries, folder) }));
  return folder;
}

/** All migrations and one of these statements. */
function withNextMigration(dialect: Dialect, statements: readonly string[]): string {
  return copyMigrations(dialect, (entries, folder) => {
    const newest = entries.at(-1)!;
    writeFileSync(join(folder, 'next.sql'), statements.join('\n--> statement-breakpoint\n'));
    return [...entries, { ...newest, idx: newest.idx + 1, when: newest.when + 1, tag: 'next' }];
  });
}

/** A query for every `table.column` that the hub owns, as `name`. */
const columnsQuery: Record<Dialect, string> = {
  sqlite: `select m.name || '.' || c.name as name from sqlite_master m, pragma_table_info(m.name) c
    where m.type = 'table' and m.name not like 'sqlite%' and m.name <> '__drizzle_migrations'
    -- What the full text indexes are made of.
    and m.name not glob '*_words_index*'`,
  postgres: `select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public'`,
};

async function refusalOf(opening: Promise<unknown>): Promise<StartError> {
  const refusal = await failureOf(opening);
  if (!(refusal instanceof StartError)) throw new Error('It was to be refused in words.');
  return refusal;
}

const tables = Object.values(sqliteTables);

forEachStore((store) => {
  const { dialect } = store;
  const table = appliedTables[dialect];
  /** A store of this version. */
  const made = async (): Promise<DatabaseSetting> => {
    const setting = await place(dialect);
    await migrate(setting);
    return setting;
  };
  const filled = async (): Promise<DatabaseSetting> => {
    const setting = await made();
    await fillBaseline(setting);
    return setting;
  };
  /** As a version that this one does not know would leave it. */
  const addUnknown = (setting: DatabaseSetting) =>
    runStatements(setting, `insert into ${table} (hash, created_at) values ('other', 9999999999999)`);
  const upgrade = (setting: DatabaseSetting, statements: readonly string[] = nextMigration[dialect]) =>
    migrate(setting, withNextMigration(dialect, statements));

  test("this version's migrations upgrade a baseline store and keep its rows", async () => {
    const setting = await place(dialect);
    await migrate(
      setting,
      copyMigrations(dialect, (entries) => entries.slice(0, 1)),
    );
    await fillBaseline(setting);
    const db = await openDatabase(setting);
    const createdAt = new Date('2026-01-02T03:04:05.678Z');
    expect(await rowsOf({ db }, 'agents')).toMatchObject([{ id: agentId, handle: 'ada', createdAt }]);
    expect(await rowsOf({ db }, 'tokenAccounts')).toMatchObject([{ agentId, balance: 12 }]);
    expect(await rowsOf({ db }, 'searchWords')).toMatchObject([{ words: 'aada acounts athings' }]);
    expect(await rowsOf({ db }, 'jobs')).toMatchObject([{ id: jobId, payload: { job: 1 }, createdAt }]);
    await db.close();
  });

  test('the next migration is applied once to a store with rows and keeps them', async () => {
    const setting = await filled();
    const [agent] = await selectRows(setting, 'select * from agents');
    const [job] = await selectRows(setting, 'select * from jobs');
    for (let time = 0; time < 2; time += 1) await upgrade(setting);
    expect(await selectRows(setting, 'select * from agents')).toEqual([{ ...agent, motto: 'none' }]);
    expect(await selectRows(setting, 'select * from jobs')).toEqual([{ ...job, priority: 5 }]);
    expect(await selectRows(setting, 'select balance from token_accounts')).toHaveLength(1);
  });

  test('a version works on a store to which a newer one has only added', async () => {
    const setting = await place(dialect);
    await upgrade(setting);
    await fillBaseline(setting);
    const db = await openDatabase(setting);
    await db.transaction((tx) => insertJobRow(tx));
    expect(await createReadiness(db, null).check()).toEqual([]);
    await db.close();
    const priorities = await selectRows(setting, 'select priority from jobs');
    expect(priorities).toEqual([{ priority: 7 }, { priority: 7 }]);
  });

  test('a store of another line of versions, whose newest migration hides one of this version, is rejected', async () => {
    const setting = await made();
    await addUnknown(setting);
    await expect(upgrade(setting)).rejects.toThrow(SchemaTooNewError);
  });

  test('a migration that fails halfway leaves the store unchanged', async () => {
    const setting = await filled();
    await expect(
      upgrade(setting, [...nextMigration[dialect], 'DROP TABLE no_such_table;']),
    ).rejects.toThrow();
    const db = await openDatabase(setting);
    expect(await rowsOf({ db }, 'agents')).toMatchObject([{ id: agentId }]);
    expect(await rowsOf({ db }, 'jobs')).toMatchObject([{ id: jobId }]);
    await db.close();
    expect(Object.keys((await selectRows(setting, 'select * from jobs'))[0]!)).not.toContain('priority');
  });

  test('a store without a hub is rejected and stays empty', async () => {
    const setting = await place(dialect);
    const refusal = await refusalOf(openExistingDatabase(setting));
    if (setting.kind === 'sqlite') {
      expect([refusal.exitCode, refusal.message]).toEqual([78, expect.stringContaining('no database at')]);
      expect(existsSync(setting.file)).toBe(false);
    } else {
      expect(refusal.message).toContain("does not have this version's schema");
      expect(refusal.message).not.toContain(new URL(setting.url).password);
    }
  });

  test('a store to which a newer version has only added is opened', async () => {
    const setting = await made();
    await addUnknown(setting);
    const db = await openExistingDatabase(setting);
    expect(await db.query.select().from(db.tables.agents)).toEqual([]);
    await db.close();
  });

  test.each([
    ['older', `delete from ${table}`, "does not have this version's schema"],
    [
      'foreign',
      `update ${table} set created_at = created_at - 1`,
      'by another program, and cannot be upgraded. Start with an empty database',
    ],
  ])('a store whose schema is %s is rejected and left unchanged', async (age, change, words) => {
    const setting = await made();
    await runStatements(setting, change);
    const applied = `select hash, created_at from ${table}`;
    const before = await selectRows(setting, applied);
    expect((await refusalOf(openExistingDatabase(setting))).message).toContain(words);
    // The hub itself would migrate an older one.
    if (age === 'foreign') expect((await refusalOf(openDatabase(setting))).message).toContain(words);
    expect(await selectRows(setting, applied)).toEqual(before);
  });

  test('a migrated store has exactly the tables and columns of the schema', async () => {
    const found = await selectRows(store.setting, columnsQuery[dialect]);
    const expected = tables.flatMap((one) =>
      Object.values(getTableColumns(one)).map((column) => `${getTableName(one)}.${column.name}`),
    );
    expect(found.map(({ name }) => String(name)).toSorted()).toEqual(expected.toSorted());
  });

  test('every SQLite table is STRICT', async () => {
    if (dialect !== 'sqlite') return;
    const all = await selectRows(
      store.setting,
      "select name, strict from pragma_table_list where schema = 'main' and type = 'table'",
    );
    const listed = all.filter(({ name }) => !/^(sqlite_|__drizzle)/.test(String(name)));
    expect(listed).toHaveLength(tables.length);
    expect(listed.filter(({ strict }) => strict !== 1)).toEqual([]);
  });
});
