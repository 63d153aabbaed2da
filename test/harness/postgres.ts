/**
 * Creates databases for tests on the server of `TEST_POSTGRES_URL`, or on a cluster that all files and processes of the
 * test run share, because starting one takes seconds.
 */
import { SQL } from 'bun';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { migratePostgres } from '#db/postgres.ts';
import { pooledUrlOf } from '#db/pool-mode.ts';
import { shareOfRun } from './run-share.ts';

export type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>;

/** `TEST_POSTGRES_POOLED=1` puts a transaction pooler in front of the cluster. */
const shareName = process.env['TEST_POSTGRES_POOLED'] ? 'pooled-postgres' : 'postgres';
const keeper = join(import.meta.dir, 'children', 'keep-postgres.ts');
const migratedTemplate = 'agent_hub_migrated';
/** UTF-8, sorted by code point whatever the server's locale, as in SQLite. */
const empty = `TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`;

/** @param migrated copies a migrated database where the server has one, which costs a tenth of a migration */
export async function createTestDatabase({ migrated = false } = {}) {
  const externalUrl = process.env['TEST_POSTGRES_URL'] || null;
  const serverUrl = externalUrl ?? (await shareOfRun(shareName, keeper));
  const name = `agent_hub_test_${randomBytes(8).toString('hex')}`;
  const template = migrated && externalUrl === null ? `TEMPLATE ${migratedTemplate}` : empty;
  // Copies files. The default writes every page to the log, which takes three times as long.
  await administer(serverUrl, `CREATE DATABASE ${name} ${template} STRATEGY FILE_COPY`);
  return {
    /** A value for `DATABASE_URL`. */
    url: databaseUrl(serverUrl, name),
    /** Removes the database even while clients are connected. */
    drop: () => administer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

/** Prepares the server for `migrated` databases. */
export async function createMigratedTemplate(serverUrl: string): Promise<void> {
  await administer(serverUrl, `CREATE DATABASE ${migratedTemplate} ${empty}`);
  await migratePostgres(databaseUrl(serverUrl, migratedTemplate));
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** `statement` consists of constants and generated names, so nothing in it needs quoting. */
async function administer(serverUrl: string, statement: string): Promise<void> {
  await using sql = connectDirectly(serverUrl);
  await sql.unsafe(statement);
}

/** One connection of the test's own, to the store in a `DATABASE_URL`. */
export function connectDirectly(databaseUrl: string): SQL {
  const { url, isPooled } = pooledUrlOf(databaseUrl);
  return new SQL({ url, max: 1, prepare: !isPooled });
}
