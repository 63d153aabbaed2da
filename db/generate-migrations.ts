/**
 * Generates the next migration of both stores from the schema: `npm run db:generate <name>`. Makes SQLite tables
 * STRICT, which drizzle-kit does not support, and keeps only the newest snapshot of each store, the one that
 * drizzle-kit compares with the schema.
 *
 * Before the first release, `npm run db:generate -- --rebaseline` replaces all migrations by one that makes the whole
 * schema, and no snapshot is kept. The release itself writes it: `npm run db:generate -- --snapshot`.
 */
import {
  generateDrizzleJson,
  generateMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dialect } from './dialect.ts';
import { postgresTables } from './schema/postgres.ts';
import { searchIndexStatements } from './schema/search-tables.ts';
import { sqliteTables } from './schema/sqlite.ts';

const baselineName = 'baseline';

/** What drizzle-kit calls the version of its snapshots. */
const formats = { sqlite: '6', postgres: '7' } as const;

const root = join(import.meta.dirname, '..');

const [asked] = process.argv.slice(2);
if (asked === '--snapshot') {
  writeSnapshot('sqlite', await generateSQLiteDrizzleJson(sqliteTables));
  writeSnapshot('postgres', generateDrizzleJson(postgresTables));
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

for (const store of ['sqlite', 'postgres'] as const) await writeMigration(store, name);

async function writeMigration(store: Dialect, label: string): Promise<void> {
  const folder = folderOf(store);
  if (isBaseline) rmSync(folder, { recursive: true, force: true });
  const { statements, snapshot } = await compare(store, readSnapshot(store));
  if (statements.length === 0) return;
  mkdirSync(join(folder, 'meta'), { recursive: true });
  const entries = isBaseline ? [] : readJournal(store).entries;
  const tag = `${String(entries.length).padStart(4, '0')}_${label}`;
  writeFileSync(join(folder, `${tag}.sql`), textOf(store, statements));
  const entry = { idx: entries.length, version: formats[store], when: Date.now(), tag, breakpoints: true };
  const dialect = store === 'sqlite' ? 'sqlite' : 'postgresql';
  const journal: Journal = { version: '7', dialect, entries: [...entries, entry] };
  writeFileSync(journalOf(store), `${JSON.stringify(journal, null, 2)}\n`);
  for (const file of readdirSync(join(folder, 'meta')))
    if (file.endsWith('_snapshot.json')) rmSync(join(folder, 'meta', file));
  if (!isBaseline) writeSnapshot(store, snapshot);
}

interface Journal {
  readonly version: string;
  readonly dialect: string;
  readonly entries: readonly { readonly idx: number; readonly tag: string }[];
}

/** @param before a snapshot; null for an empty store */
async function compare(store: Dialect, before: unknown) {
  switch (store) {
    case 'sqlite': {
      const snapshot = await generateSQLiteDrizzleJson(sqliteTables);
      // The format of drizzle-kit.
      const known = before === null ? await generateSQLiteDrizzleJson({}) : (before as typeof snapshot);
      return { snapshot, statements: await generateSQLiteMigration(known, snapshot) };
    }
    case 'postgres': {
      const snapshot = generateDrizzleJson(postgresTables);
      const known = before === null ? generateDrizzleJson({}) : (before as typeof snapshot);
      return { snapshot, statements: await generateMigration(known, snapshot) };
    }
  }
}

/** Stores of an unreleased version start empty after each change of the baseline. A release ends that. */
function hasRelease(): boolean {
  return /^## \[v?\d/m.test(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'));
}

function textOf(store: Dialect, statements: readonly string[]): string {
  const trimmed = statements.map((statement) => statement.trim());
  const own =
    store === 'sqlite' ? trimmed.map((statement) => statement.replace(/^\)\s*;$/m, ') STRICT;')) : trimmed;
  const all = isBaseline ? [...own, ...searchIndexStatements(store)] : own;
  return `${all.join('\n--> statement-breakpoint\n')}\n`;
}

/** That of the newest migration; null before the first release. */
function readSnapshot(store: Dialect): unknown {
  const folder = join(folderOf(store), 'meta');
  const file = isBaseline ? undefined : newestOf(folder, '_snapshot.json');
  return file === undefined ? null : JSON.parse(readFileSync(join(folder, file), 'utf8'));
}

function journalOf(store: Dialect): string {
  return join(folderOf(store), 'meta', '_journal.json');
}

function readJournal(store: Dialect): Journal {
  return JSON.parse(readFileSync(journalOf(store), 'utf8')) as Journal; // As `writeMigration` writes it.
}

function writeSnapshot(store: Dialect, snapshot: unknown): void {
  const newest = newestOf(folderOf(store), '.sql') ?? fail('There is no migration.');
  const path = join(folderOf(store), 'meta', `${newest.slice(0, 4)}_snapshot.json`);
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
