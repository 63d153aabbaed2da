/** A Postgres database that could not hold every text, or whose tables would be elsewhere, is refused before it is used. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { SQL } from 'bun';
import type { DatabaseSetting } from '#db/database.ts';
import { moveStore } from '#db/move/move-store.ts';
import { openDatabase } from '#db/open-database.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { failureOf } from '#test/harness/failure-of.ts';
import { connectDirectly, createTestDatabase, type TestDatabase } from '#test/harness/postgres.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { runStatements, selectRows } from './raw-store.ts';

let database: TestDatabase;
let admin: SQL;
const created: string[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  admin = connectDirectly(database.url);
});
afterAll(async () => {
  for (const name of created) await admin.unsafe(`drop database ${name} with (force)`);
  await admin.close();
  await database.drop();
});

async function createDatabase(encoding: string, searchPath?: string): Promise<string> {
  const name = `${new URL(database.url).pathname.slice(1)}_${created.length}`;
  await admin.unsafe(
    `create database ${name} template template0 encoding '${encoding}' lc_collate 'C' lc_ctype 'C'`,
  );
  created.push(name);
  if (searchPath !== undefined) await admin.unsafe(`alter database ${name} set search_path = ${searchPath}`);
  const url = new URL(database.url);
  url.pathname = `/${name}`;
  return url.href;
}

const settingOf = (url: string): DatabaseSetting => ({ kind: 'postgres', url });

async function refusalOf(work: Promise<unknown>): Promise<StartError> {
  const error = await failureOf(work);
  if (!(error instanceof StartError)) throw new Error('It was not refused.', { cause: error });
  return error;
}

async function tablesIn(url: string): Promise<number> {
  const listed = "select 1 from pg_tables where schemaname not in ('pg_catalog', 'information_schema')";
  return (await selectRows(settingOf(url), listed)).length;
}

test.each([
  ['LATIN1', 'public', /encoding LATIN1.*createdb/],
  ['SQL_ASCII', 'public', /encoding SQL_ASCII/],
  ['UTF8', 'nowhere', /search_path.*nowhere.*no schema/],
  ['UTF8', "''", /search_path.*no schema/],
  ['UTF8', 'pg_catalog', /search_path.*pg_catalog.*in public/],
])(
  'with the encoding %s and the search_path %s, neither a start nor a move writes anything',
  async (encoding, path, said) => {
    const url = await createDatabase(encoding, path);
    const starting = await refusalOf(openDatabase(settingOf(url)));
    expect([starting.exitCode, starting.message]).toEqual([78, expect.stringMatching(said)]);
    await using source = await openScratchStore('sqlite');
    const moving = await refusalOf(
      moveStore({
        from: source.setting,
        to: { ...settingOf(url), namedBy: '--to' },
        isLive: true,
        check: async () => undefined,
        onProgress: () => undefined,
      }),
    );
    expect([moving.exitCode, moving.message]).toEqual([78, expect.stringMatching(said)]);
    expect(moving.message).toContain('--to');
    expect(await tablesIn(url)).toBe(0);
  },
);

test('a search_path that leads away from the tables of a hub is refused, and one that leads to them is not', async () => {
  const url = await createDatabase('UTF8');
  const name = new URL(url).pathname.slice(1);
  const start = async () => (await openDatabase(settingOf(url))).close();
  await start();
  await runStatements(settingOf(url), 'create schema other');
  await admin.unsafe(`alter database ${name} set search_path = public, other`);
  await start();
  await admin.unsafe(`alter database ${name} set search_path = other, public`);
  const refused = await refusalOf(start());
  expect(refused.message).toMatch(/leads to the schema other, but the tables of a hub are in public/);
});
