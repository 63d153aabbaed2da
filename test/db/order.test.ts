/** Lists have the same order on both stores, whatever the locale of the Postgres cluster. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { asc, gt, sql } from 'drizzle-orm';
import fc from 'fast-check';
import type { OpenDatabase } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { connectDirectly, createTestDatabase, type TestDatabase } from '#test/harness/postgres.ts';
import { useScratchStore } from '#test/harness/stores.ts';
import { insertJobRow } from './job-rows.ts';

const sqlite = useScratchStore('sqlite');
let place: TestDatabase;
let english: OpenDatabase;
const englishName = `agent_hub_test_en_${Bun.randomUUIDv7().slice(-12)}`;

async function administer(statement: string): Promise<void> {
  await using admin = connectDirectly(place.url);
  await admin.unsafe(statement);
}

beforeAll(async () => {
  place = await createTestDatabase();
  await administer(
    `create database ${englishName} template template0 encoding 'UTF8' locale_provider icu icu_locale 'en-u-ka-shifted'`,
  );
  const url = new URL(place.url);
  url.pathname = `/${englishName}`;
  english = await openDatabase({ kind: 'postgres', url: url.href });
});
afterAll(async () => {
  await english.close();
  await administer(`drop database ${englishName} with (force)`);
  await place.drop();
});

test('handles sort by code point, also in a database with an English collation', async () => {
  // In that collation, as in dictionaries and glibc locales, the hyphen hardly counts: `a-c` sorts after
  // `ab`.
  const handles = ['a-c', 'ab', 'a0', 'a-', 'aa-', 'aa0', 'b', '0b', '-b', '--', 'a--z', 'a-z'].map(
    (handle) => `${handle}xx`,
  );
  const [order] = await english.query.execute(sql`select 'a-c' < 'ab' as before`);
  expect(order).toEqual({ before: false });
  for (const db of [sqlite.db, english]) {
    const ctx = createTestCtx(db);
    for (const handle of handles) await createTestAgent(ctx, { handle });
    const { agents } = db.tables;
    const listed = await db.query.select({ handle: agents.handle }).from(agents).orderBy(asc(agents.handle));
    expect(listed.map((row) => row.handle)).toEqual(handles.toSorted());
    const after = await db.query
      .select({ handle: agents.handle })
      .from(agents)
      .where(gt(agents.handle, 'a0xx'))
      .orderBy(asc(agents.handle));
    expect(after.map((row) => row.handle)).toEqual(handles.filter((handle) => handle > 'a0xx').toSorted());
  }
});

test('ids sort alike as text and as uuid', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 12 }), async (ids) => {
      for (const db of [sqlite.db, english]) {
        const { jobs } = db.tables;
        await db.transaction(async (tx) => {
          await tx.query.delete(jobs);
          for (const id of ids) await insertJobRow(tx, id);
        });
        const listed = await db.query.select({ id: jobs.id }).from(jobs).orderBy(asc(jobs.id));
        expect(listed.map((row) => row.id)).toEqual(ids.toSorted());
      }
    }),
    { numRuns: 20 },
  );
});
