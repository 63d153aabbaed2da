/**
 * Generates the next migration of both stores from the schema: `npm run db:generate <name>`. Before the first release,
 * `npm run db:generate -- --rebaseline` replaces all migrations by one that makes the whole schema. Makes SQLite
 * tables STRICT, which drizzle-kit does not support, and keeps only the newest snapshot of each store, the one that
 * drizzle-kit compares with the schema.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Dialect } from './dialect.ts';
import { searchIndexStatements } from './schema/search-indexes.ts';

const baselineName = 'baseline';

/** drizzle-kit treats an absolute path as relative, so all paths are relative to the root. */
const root = join(import.meta.dirname, '..');

const [asked] = process.argv.slice(2);
const isBaseline = asked === '--rebaseline';
const name = isBaseline ? baselineName : asked;
if (name === undefined || !/^[a-z][a-z0-9_]*$/.test(name)) {
  fail('Usage: npm run db:generate <name_in_snake_case>, or npm run db:generate -- --rebaseline');
}
if (isBaseline && hasRelease()) {
  fail(
    'CHANGELOG.md names a release, whose stores must be upgraded. Add a migration: npm run db:generate <name>',
  );
}

for (const [store, dialect] of [
  ['sqlite', 'sqlite'],
  ['postgres', 'postgresql'],
] as const) {
  const folder = join(import.meta.dirname, 'migrations', store);
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
  keepNewestSnapshot(join(folder, 'meta'));
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

/** Writes it on one line, which is half as long. */
function keepNewestSnapshot(folder: string): void {
  const newest = newestOf(folder, '_snapshot.json');
  for (const file of readdirSync(folder)) {
    const path = join(folder, file);
    if (file === newest) writeFileSync(path, `${JSON.stringify(JSON.parse(readFileSync(path, 'utf8')))}\n`);
    else if (file.endsWith('_snapshot.json')) rmSync(path);
  }
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
