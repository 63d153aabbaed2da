/**
 * Generates the next migration of both stores from the schema: `npm run db:generate <name>`. Makes SQLite tables
 * STRICT, which drizzle-kit does not support, and keeps only the newest snapshot of each store, the one that
 * drizzle-kit compares with the schema.
 *
 * Before the first release, `npm run db:generate -- --rebaseline` replaces all migrations by one that makes the whole
 * schema, and no snapshot is kept. The release itself writes it: `npm run db:generate -- --snapshot`.
 */
import { generateDrizzleJson, generateSQLiteDrizzleJson } from 'drizzle-kit/api';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Dialect } from './dialect.ts';
import * as postgresSchema from './schema/postgres.ts';
import { searchIndexStatements } from './schema/search-tables.ts';
import * as sqliteSchema from './schema/sqlite.ts';

const baselineName = 'baseline';

/** drizzle-kit treats an absolute path as relative, so all paths are relative to the root. */
const root = join(import.meta.dirname, '..');

const [asked] = process.argv.slice(2);
if (asked === '--snapshot') {
  writeSnapshot('sqlite', await generateSQLiteDrizzleJson(sqliteSchema));
  writeSnapshot('postgres', generateDrizzleJson(postgresSchema));
  process.exit(0);
}
const isBaseline = asked === '--rebaseline';
const name = isBaseline ? baselineName : asked;
if (name === undefined || !/^[a-z][a-z0-9_]*$/.test(name)) {
  fail(
    'Usage: npm run db:generate <name_in_snake_case>, or npm run db:generate -- --rebaseline or --snapshot',
  );
}
if (isBaseline && hasRelease()) {
  fail(
    'CHANGELOG.md names a release, whose stores must be upgraded. Add a migration: npm run db:generate <name>',
  );
}

if (!isBaseline && newestOf(join(folderOf('sqlite'), 'meta'), '_snapshot.json') === undefined) {
  fail(
    'There is no snapshot of the released schema. Check out the release and write it: npm run db:generate -- --snapshot',
  );
}

for (const [store, dialect] of [
  ['sqlite', 'sqlite'],
  ['postgres', 'postgresql'],
] as const) {
  const folder = folderOf(store);
  if (isBaseline) rmSync(folder, { recursive: true, force: true });
  const generated = Bun.spawnSync(
    [
      'drizzle-kit',
      'generate',
      `--dialect=${dialect}`,
      `--schema=${join('db', 'schema', `${store}.ts`)}`,
      `--out=${relative(root, folder)}`,
      `--name=${name}`,
    ],
    { cwd: root, stdio: ['inherit', 'inherit', 'inherit'] },
  );
  if (!generated.success) process.exit(1);
  finishMigration(store, folder);
  keepSnapshot(join(folder, 'meta'));
}

/** Stores of an unreleased version start empty after each change of the baseline. A release ends that. */
function hasRelease(): boolean {
  return /^## \[v?\d/m.test(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'));
}

function finishMigration(store: Dialect, folder: string): void {
  const newest = newestOf(folder, '.sql');
  if (newest === undefined) return;
  const path = join(folder, newest);
  let statements = readFileSync(path, 'utf8');
  if (store === 'sqlite') {
    statements = statements.replaceAll(/^\);$/gm, ') STRICT;').replaceAll(/^\)\s*;(-->)/gm, ') STRICT;$1');
  }
  if (isBaseline) {
    statements = [statements.trimEnd(), ...searchIndexStatements(store)].join('\n--> statement-breakpoint\n');
  }
  writeFileSync(path, `${statements.trimEnd()}\n`);
}

/** Of the newest migration; of none before the first release. */
function keepSnapshot(folder: string): void {
  const newest = isBaseline ? undefined : newestOf(folder, '_snapshot.json');
  for (const file of readdirSync(folder)) {
    const path = join(folder, file);
    if (file === newest) writeOnOneLine(path, JSON.parse(readFileSync(path, 'utf8')));
    else if (file.endsWith('_snapshot.json')) rmSync(path);
  }
}

function writeSnapshot(store: Dialect, snapshot: unknown): void {
  const newest = newestOf(folderOf(store), '.sql') ?? fail('There is no migration.');
  writeOnOneLine(join(folderOf(store), 'meta', `${newest.slice(0, 4)}_snapshot.json`), snapshot);
}

/** Half as long as what drizzle-kit writes. */
function writeOnOneLine(path: string, snapshot: unknown): void {
  writeFileSync(path, `${JSON.stringify(snapshot)}\n`);
}

function folderOf(store: Dialect): string {
  return join(root, 'db', 'migrations', store);
}

function newestOf(folder: string, ending: string): string | undefined {
  return readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .toSorted()
    .at(-1);
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
