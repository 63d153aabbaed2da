/** Tools that run next to a hub open an existing store of this version, and do not change any other. */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import type { DatabaseSetting } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { openExistingDatabase } from '#db/open-existing-database.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { failureOf } from '#test/harness/failure-of.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { appliedTables, runStatements, selectRows } from './raw-store.ts';
import { usePlaces } from './use-places.ts';

async function refusalOf(opening: Promise<unknown>): Promise<StartError> {
  const refusal = await failureOf(opening);
  if (!(refusal instanceof StartError)) throw new Error('It was to be refused in words.');
  return refusal;
}

const place = usePlaces();

forEachStore((store) => {
  const table = appliedTables[store.dialect];
  const made = async (): Promise<DatabaseSetting> => {
    const setting = await place(store.dialect);
    await (await openDatabase(setting)).close();
    return setting;
  };

  test('a store without a hub is rejected and stays empty', async () => {
    const setting = await place(store.dialect);
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
    await runStatements(
      setting,
      `insert into ${table} (hash, created_at) values ('unknown', 9999999999999)`,
    );
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
});
