/** A store made by an earlier version is upgraded and keeps its rows. */
import { describe, expect, test } from 'bun:test';
import { SchemaTooNewError } from '#db/errors.ts';
import { migratePostgres } from '#db/postgres.ts';
import { migrateSqlite } from '#db/sqlite.ts';
import type { DatabaseSetting } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { createReadiness } from '#domain/check-readiness.ts';
import { createPlace, type StorePlace } from '#test/harness/stores.ts';
import { withBaseline, withNextMigration } from './migration-folders.ts';
import { insertJobRow } from './job-rows.ts';
import { runStatements, selectRows } from './raw-store.ts';

const appliedTables = {
  sqlite: '__drizzle_migrations',
  postgres: 'drizzle.__drizzle_migrations',
};

function migrate(setting: DatabaseSetting, folder?: string): Promise<void> {
  switch (setting.kind) {
    case 'sqlite':
      return migrateSqlite(setting.file, folder);
    case 'postgres':
      return migratePostgres(setting.url, folder);
  }
}

async function withPlace(
  dialect: 'sqlite' | 'postgres',
  work: (place: StorePlace) => Promise<void>,
): Promise<void> {
  const place = await createPlace(dialect);
  try {
    await work(place);
  } finally {
    await place.remove();
  }
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
  test("this version's migrations upgrade a baseline store and keep its rows", () =>
    withPlace(dialect, async ({ setting }) => {
      await withBaseline(dialect, (folder) => migrate(setting, folder));
      await fillBaseline(setting);
      const db = await openDatabase(setting);
      const { agents, jobs, searchWords, tokenAccounts } = db.tables;
      const createdAt = new Date('2026-01-02T03:04:05.678Z');
      expect(await db.query.select().from(agents)).toMatchObject([{ id: agentId, handle: 'ada', createdAt }]);
      expect(await db.query.select().from(tokenAccounts)).toMatchObject([{ agentId, balance: 12 }]);
      expect(await db.query.select().from(searchWords)).toMatchObject([{ words: 'aada acounts athings' }]);
      expect(await db.query.select().from(jobs)).toMatchObject([
        { id: jobId, payload: { job: 1 }, createdAt },
      ]);
      await db.close();
    }));

  test('the next migration is applied once to a store with rows and keeps them', () =>
    withPlace(dialect, async ({ setting }) => {
      await migrate(setting);
      await fillBaseline(setting);
      const before = await selectRows(setting, 'select * from agents');
      const jobBefore = await selectRows(setting, 'select * from jobs');
      await withNextMigration(dialect, nextMigration[dialect], async (folder) => {
        await migrate(setting, folder);
        await migrate(setting, folder);
      });
      expect(await selectRows(setting, 'select * from agents')).toEqual([{ ...before[0], motto: 'none' }]);
      expect(await selectRows(setting, 'select * from jobs')).toEqual([{ ...jobBefore[0], priority: 5 }]);
      expect(await selectRows(setting, 'select balance from token_accounts')).toHaveLength(1);
    }));

  test('a version works on a store to which a newer one has only added', () =>
    withPlace(dialect, async ({ setting }) => {
      await withNextMigration(dialect, nextMigration[dialect], (folder) => migrate(setting, folder));
      await fillBaseline(setting);
      const db = await openDatabase(setting);
      await db.transaction((tx) => insertJobRow(tx));
      expect(await db.query.select().from(db.tables.jobs)).toHaveLength(2);
      expect(await createReadiness(db, null).check()).toEqual([]);
      await db.close();
      expect(
        (await selectRows(setting, 'select priority from jobs')).map(({ priority }) => priority),
      ).toEqual([7, 7]);
    }));

  test('a store of another line of versions, whose newest migration hides one of this version, is rejected', () =>
    withPlace(dialect, async ({ setting }) => {
      await migrate(setting);
      await runStatements(
        setting,
        `insert into ${appliedTables[dialect]} (hash, created_at) values ('other', 9999999999999)`,
      );
      const upgrade = withNextMigration(dialect, nextMigration[dialect], (folder) =>
        migrate(setting, folder),
      );
      await expect(upgrade).rejects.toThrow(SchemaTooNewError);
    }));

  test('a migration that fails halfway leaves the store unchanged', () =>
    withPlace(dialect, async ({ setting }) => {
      await migrate(setting);
      await fillBaseline(setting);
      const statements = [...nextMigration[dialect], 'DROP TABLE no_such_table;'];
      const failing = withNextMigration(dialect, statements, (folder) => migrate(setting, folder));
      await expect(failing).rejects.toThrow();
      const db = await openDatabase(setting);
      expect(await db.query.select().from(db.tables.agents)).toMatchObject([{ id: agentId }]);
      expect(await db.query.select().from(db.tables.jobs)).toMatchObject([{ id: jobId }]);
      await db.close();
      expect(Object.keys((await selectRows(setting, 'select * from jobs'))[0]!)).not.toContain('priority');
    }));
});
