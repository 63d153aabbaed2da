/** A store made by an earlier version is upgraded and keeps its rows. */
import { describe, expect, test } from 'bun:test';
import { SchemaTooNewError } from '#db/errors.ts';
import { migratePostgres } from '#db/postgres.ts';
import { migrateSqlite } from '#db/sqlite.ts';
import type { DatabaseSetting } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { createReadiness } from '#domain/check-readiness.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { withBaseline, withNextMigration } from './migration-folders.ts';
import { insertJobRow } from './job-rows.ts';
import { appliedTables, runStatements, selectRows } from './raw-store.ts';
import { usePlaces } from './use-places.ts';

const place = usePlaces();

function migrate(setting: DatabaseSetting, folder?: string): Promise<void> {
  return setting.kind === 'sqlite' ? migrateSqlite(setting.file, folder) : migratePostgres(setting.url, folder);
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

describe.each(['sqlite', 'postgres'] as const)('on %s', (dialect) => {
  /** A store of this version with rows. */
  const filled = async (): Promise<DatabaseSetting> => {
    const setting = await place(dialect);
    await migrate(setting);
    await fillBaseline(setting);
    return setting;
  };
  const upgrade = (setting: DatabaseSetting, statements: readonly string[] = nextMigration[dialect]) =>
    withNextMigration(dialect, statements, (folder) => migrate(setting, folder));

  test("this version's migrations upgrade a baseline store and keep its rows", async () => {
    const setting = await place(dialect);
    await withBaseline(dialect, (folder) => migrate(setting, folder));
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
    const setting = await place(dialect);
    await migrate(setting);
    await runStatements(
      setting,
      `insert into ${appliedTables[dialect]} (hash, created_at) values ('other', 9999999999999)`,
    );
    await expect(upgrade(setting)).rejects.toThrow(SchemaTooNewError);
  });

  test('a migration that fails halfway leaves the store unchanged', async () => {
    const setting = await filled();
    await expect(upgrade(setting, [...nextMigration[dialect], 'DROP TABLE no_such_table;'])).rejects.toThrow();
    const db = await openDatabase(setting);
    expect(await rowsOf({ db }, 'agents')).toMatchObject([{ id: agentId }]);
    expect(await rowsOf({ db }, 'jobs')).toMatchObject([{ id: jobId }]);
    await db.close();
    expect(Object.keys((await selectRows(setting, 'select * from jobs'))[0]!)).not.toContain('priority');
  });
});
