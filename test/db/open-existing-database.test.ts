/** Tools that run next to a hub open an existing store of this version, and do not change any other. */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import type { Dialect } from '#db/dialect.ts';
import { readHistory } from '#db/migrations.ts';
import { openDatabase } from '#db/open-database.ts';
import { openExistingDatabase } from '#db/open-existing-database.ts';
import { openPostgres } from '#db/postgres.ts';
import { openSqlite } from '#db/sqlite.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { failureOf } from '#test/harness/failure-of.ts';
import { createPlace, forEachStore } from '#test/harness/stores.ts';
import { runStatements } from './raw-store.ts';

async function refusalOf(opening: Promise<unknown>): Promise<StartError> {
  const refusal = await failureOf(opening);
  if (!(refusal instanceof StartError)) throw new Error('It was to be refused in words.');
  return refusal;
}

const tableOf = (dialect: Dialect): string =>
  dialect === 'sqlite' ? '__drizzle_migrations' : 'drizzle.__drizzle_migrations';
const unknownMigration = (table: string): string =>
  `insert into ${table} (hash, created_at) values ('unknown', 9999999999999)`;

forEachStore((store) => {
  test('a store of this version is opened', async () => {
    const db = await openExistingDatabase(store.setting);
    expect(await db.query.select().from(db.tables.agents)).toEqual([]);
    await db.close();
  });

  test('a store without a hub is rejected and stays empty', async () => {
    const place = await createPlace(store.dialect);
    const { setting } = place;
    const refusal = await refusalOf(openExistingDatabase(setting));
    if (setting.kind === 'sqlite') {
      expect([refusal.exitCode, refusal.message]).toEqual([78, expect.stringContaining('no database at')]);
      expect(existsSync(setting.file)).toBe(false);
    } else {
      expect(refusal.message).toContain("does not have this version's schema");
      expect(refusal.message).not.toContain(new URL(setting.url).password);
    }
    await place.remove();
  });

  test('a store to which a newer version has only added is opened', async () => {
    const place = await createPlace(store.dialect);
    await (await openDatabase(place.setting)).close();
    await runStatements(place.setting, unknownMigration(tableOf(store.dialect)));
    const db = await openExistingDatabase(place.setting);
    expect(await db.query.select().from(db.tables.agents)).toEqual([]);
    await db.close();
    await place.remove();
  });

  test.each([
    ['older', (table: string) => [`delete from ${table}`], "does not have this version's schema"],
    [
      'foreign',
      (table: string) => [`update ${table} set created_at = created_at - 1`],
      'by another program, and cannot be upgraded. Start with an empty database',
    ],
  ])('a store whose schema is %s is rejected and left unchanged', async (age, change, words) => {
    const place = await createPlace(store.dialect);
    const { setting } = place;
    await (await openDatabase(setting)).close();
    await runStatements(setting, ...change(tableOf(store.dialect)));
    const db = setting.kind === 'sqlite' ? openSqlite(setting.file) : openPostgres(setting.url);
    const before = await readHistory(db);
    expect((await refusalOf(openExistingDatabase(setting))).message).toContain(words);
    // The hub itself would migrate an older one.
    if (age === 'foreign') expect((await refusalOf(openDatabase(setting))).message).toContain(words);
    expect(await readHistory(db)).toEqual(before);
    await db.close();
    await place.remove();
  });
});
