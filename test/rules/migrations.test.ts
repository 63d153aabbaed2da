/** The migrations of each store give exactly the tables in the code, and there is one before the first release. */
import { expect, test } from 'bun:test';
import {
  generateDrizzleJson,
  generateMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dialect } from '#db/dialect.ts';
import { postgresTables } from '#db/schema/postgres.ts';
import { searchIndexStatements } from '#db/schema/search-tables.ts';
import { sqliteTables } from '#db/schema/sqlite.ts';

const migrationsFolder = join(import.meta.dirname, '../../db/migrations');

const isReleased = /^## \[v?\d/m.test(readFileSync(join(migrationsFolder, '../../CHANGELOG.md'), 'utf8'));

function snapshotsOf(store: Dialect): readonly string[] {
  return readdirSync(join(migrationsFolder, store, 'meta')).filter((file) => file.endsWith('_snapshot.json'));
}

/** The snapshot with which `npm run db:generate <name>` compares the schema. */
function readSnapshot(store: Dialect): unknown {
  const [file = ''] = snapshotsOf(store);
  return JSON.parse(readFileSync(join(migrationsFolder, store, 'meta', file), 'utf8'));
}

/** The statements of the single migration before the first release, without the search indexes. */
function readBaseline(store: Dialect): readonly string[] {
  return readFileSync(join(migrationsFolder, store, '0000_baseline.sql'), 'utf8')
    .replaceAll(') STRICT;', ');')
    .split('--> statement-breakpoint')
    .slice(0, -searchIndexStatements(store).length)
    .map(inOneLine);
}

const inOneLine = (statement: string): string => statement.replaceAll(/\s+/g, ' ').trim();

test.each(['sqlite', 'postgres'] as const)(
  '%s has one migration and no snapshot before the first release, and the newest snapshot from then on',
  (store) => {
    expect(snapshotsOf(store)).toHaveLength(isReleased ? 1 : 0);
    if (!isReleased)
      expect(readdirSync(join(migrationsFolder, store)).toSorted()).toEqual(['0000_baseline.sql', 'meta']);
  },
);

test('the Postgres migrations are up to date with the schema', async () => {
  const now = generateDrizzleJson(postgresTables);
  if (isReleased) {
    const before = readSnapshot('postgres') as typeof now; // The format of drizzle-kit.
    expect(await generateMigration(before, now)).toEqual([]);
  } else {
    const statements = await generateMigration(generateDrizzleJson({}), now);
    expect(readBaseline('postgres')).toEqual(statements.map(inOneLine));
  }
});

test('the SQLite migrations are up to date with the schema', async () => {
  const now = await generateSQLiteDrizzleJson(sqliteTables);
  if (isReleased) {
    const before = readSnapshot('sqlite') as typeof now; // The format of drizzle-kit.
    expect(await generateSQLiteMigration(before, now)).toEqual([]);
  } else {
    const statements = await generateSQLiteMigration(await generateSQLiteDrizzleJson({}), now);
    expect(readBaseline('sqlite')).toEqual(statements.map(inOneLine));
  }
});
