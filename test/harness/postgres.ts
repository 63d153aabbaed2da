/**
 * A fresh Postgres database for one test file: on the server of `TEST_POSTGRES_URL`, or on a cluster of the test run's
 * own that all files and processes of the run share, as making one takes a second.
 */
import { SQL } from 'bun';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { shareOfRun } from './run-share.ts';

export interface TestDatabase {
  /** What `DATABASE_URL` would hold. */
  readonly url: string;
  /** Removes the database, whoever is still connected to it. */
  drop(): Promise<void>;
}

const keeper = join(import.meta.dir, 'children', 'keep-postgres.ts');

/** UTF-8 and sorted by code point whatever the server's own locale, as SQLite sorts. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env['TEST_POSTGRES_URL'] || (await shareOfRun('postgres', keeper));
  const name = `agent_hub_test_${randomBytes(8).toString('hex')}`;
  await administer(
    serverUrl,
    `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`,
  );
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => administer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

/** `statement` is made of constants and the name above, so nothing in it needs quoting. */
async function administer(serverUrl: string, statement: string): Promise<void> {
  const sql = new SQL({ url: serverUrl, max: 1 });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.close();
  }
}
