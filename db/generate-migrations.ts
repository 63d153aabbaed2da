/**
 * Generates the next migration of both stores from the schema: `bun db/generate-migrations.ts <name>`. Makes
 * SQLite tables STRICT, which drizzle-kit does not support, and keeps only the newest snapshot of each store, the one
 * that drizzle-kit compares with the schema.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const name = process.argv[2];
if (name === undefined || !/^[a-z][a-z0-9_]*$/.test(name)) {
  console.error('Usage: bun db/generate-migrations.ts <name_in_snake_case>');
  process.exit(2);
}

// drizzle-kit treats an absolute path as relative, so all paths are relative to the root.
const root = join(import.meta.dirname, '..');

for (const [store, dialect] of [
  ['sqlite', 'sqlite'],
  ['postgres', 'postgresql'],
] as const) {
  const folder = join(import.meta.dirname, 'migrations', store);
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
  if (store === 'sqlite') makeTablesStrict(folder);
  removeOldSnapshots(join(folder, 'meta'));
}

function makeTablesStrict(folder: string): void {
  for (const file of readdirSync(folder).filter((entry) => entry.endsWith('.sql'))) {
    const path = join(folder, file);
    const statements = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      statements.replaceAll(/^\);$/gm, ') STRICT;').replaceAll(/^\)\s*;(-->)/gm, ') STRICT;$1'),
    );
  }
}

function removeOldSnapshots(folder: string): void {
  const snapshots = readdirSync(folder).filter((entry) => entry.endsWith('_snapshot.json'));
  for (const snapshot of snapshots.toSorted().slice(0, -1)) rmSync(join(folder, snapshot));
}
