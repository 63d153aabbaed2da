/** Tools beside a hub open a store that is there in this version's schema, and change nothing of one that is not. */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { newestApplied } from '#db/is-migrated.ts';
import { openDatabase } from '#db/open-database.ts';
import { openExistingDatabase } from '#db/open-existing-database.ts';
import { openPostgres } from '#db/postgres.ts';
import { openSqlite } from '#db/sqlite.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { createPlace, forEachStore } from '#test/harness/stores.ts';

async function refusalOf(opening: Promise<unknown>): Promise<StartError> {
  const refusal = await opening.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(refusal instanceof StartError)) throw new Error('It was to be refused in words.');
  return refusal;
}

forEachStore((store) => {
  test('a store of this version is opened', async () => {
    const db = await openExistingDatabase(store.setting);
    expect(await db.query.select().from(db.tables.agents)).toEqual([]);
    await db.close();
  });

  test('a store without a hub is refused and stays empty', async () => {
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

  test.each([
    ['older', -1, "does not have this version's schema"],
    ['newer', 1, 'newer version'],
  ])('a store whose version is %s is refused and not migrated', async (_age, differenceMs, words) => {
    const place = await createPlace(store.dialect);
    const { setting } = place;
    await (await openDatabase(setting)).close();
    const table = sql.raw(store.dialect === 'sqlite' ? '' : 'drizzle.');
    const db = setting.kind === 'sqlite' ? openSqlite(setting.file) : openPostgres(setting.url);
    const newest = await newestApplied(db);
    const change = sql`update ${table}__drizzle_migrations set created_at = created_at + ${sql.raw(String(differenceMs))}
      where created_at = ${sql.raw(String(newest))}`;
    // The two drivers' builders have no word for this in common.
    await db.transaction(async ({ query }) => {
      if ('run' in query && typeof query.run === 'function') query.run(change);
      else await query.execute(change);
    });
    expect((await refusalOf(openExistingDatabase(setting))).message).toContain(words);
    expect(await newestApplied(db)).toBe(newest + differenceMs);
    await db.close();
    await place.remove();
  });
});
