/**
 * Processes of two versions work on one store during an upgrade, so a migration only adds, drops a foreign key, or
 * adds columns to the end of an index. One that removes something else excludes the versions that still use it with a
 * row in `required_migrations`.
 */
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrationsFolder } from '#db/migrations.ts';

/**
 * The statements of a migration that may break an older version.
 * @param earlier the migrations before it
 */
function findBreaking(migration: string, earlier: readonly string[] = []): readonly string[] {
  const statements = statementsOf(migration);
  const created = new Set(
    statements.flatMap((statement) => /^CREATE TABLE (\S+)/i.exec(statement)?.[1] ?? []),
  );
  const before = indexesOf(earlier.flatMap(statementsOf));
  const after = indexesOf(statements);
  const isWidened = (statement: string): boolean => {
    const name = /^DROP INDEX (\w+);?$/i.exec(statement)?.[1] ?? '';
    const [old, wider] = [before.get(name), after.get(name)];
    return old !== undefined && wider !== undefined && wider.startsWith(`${old},`);
  };
  return statements.filter(
    (statement) => statement !== '' && !isAddition(statement, created) && !isWidened(statement),
  );
}

function statementsOf(migration: string): readonly string[] {
  return migration
    .split('--> statement-breakpoint')
    .map((statement) => statement.replaceAll(/["`]/g, '').trim());
}

/** The table and columns of each index by its name, except unique and partial ones. */
function indexesOf(statements: readonly string[]): ReadonlyMap<string, string> {
  const indexes = new Map<string, string>();
  for (const statement of statements) {
    const [, name, table, columns] =
      /^CREATE INDEX (\w+) ON (\w+) (?:USING btree )?\(([^()]+)\);?$/i.exec(statement) ?? [];
    if (name !== undefined) indexes.set(name, `${table} ${columns}`);
  }
  return indexes;
}

function isAddition(statement: string, created: ReadonlySet<string>): boolean {
  if (/^(CREATE (TABLE|INDEX|TRIGGER|VIRTUAL TABLE)|INSERT|UPDATE)\b/i.test(statement)) return true;
  // A version that obeys a foreign key also works without it. Conflicts in an upsert need their unique constraint.
  if (/^ALTER TABLE \S+ DROP CONSTRAINT \w+_fk;?$/i.test(statement)) return true;
  const uniqueOn = /^CREATE UNIQUE INDEX .* ON (\S+)/i.exec(statement)?.[1];
  if (uniqueOn !== undefined) return created.has(uniqueOn);
  const [, table = '', addition = ''] = /^ALTER TABLE (\S+) ADD (.*)/is.exec(statement) ?? [];
  if (created.has(table)) return true;
  if (addition === '' || /^CONSTRAINT\b/i.test(addition)) return false;
  return !/\bNOT NULL\b/i.test(addition) || /\bDEFAULT\b/i.test(addition);
}

test.each([
  ['DROP TABLE "skills";', false],
  ['ALTER TABLE `agents` DROP COLUMN `bio`;', false],
  ['ALTER TABLE `agents` RENAME COLUMN `bio` TO `about`;', false],
  ['ALTER TABLE "agents" ADD COLUMN "motto" text NOT NULL;', false],
  ['ALTER TABLE "agents" ALTER COLUMN "bio" SET NOT NULL;', false],
  ['ALTER TABLE "agents" ADD CONSTRAINT "c" CHECK (true);', false],
  ['CREATE UNIQUE INDEX "u" ON "agents" USING btree ("bio");', false],
  ['ALTER TABLE "seats" DROP CONSTRAINT "seats_calendar_token_unique";', false],
  ['ALTER TABLE "seats" DROP CONSTRAINT "seats_agent_id_agents_id_fk";', true],
  ['ALTER TABLE `agents` ADD `motto` text;', true],
  [`ALTER TABLE "agents" ADD COLUMN "motto" text DEFAULT '' NOT NULL;`, true],
  ['CREATE INDEX "i" ON "agents" USING btree ("bio");', true],
  ['DROP INDEX "i";', false],
  [
    'DROP INDEX "on_bio";--> statement-breakpoint\nCREATE INDEX "on_bio" ON "agents" USING btree ("bio","id");',
    true,
  ],
  ['DROP INDEX `on_bio`;--> statement-breakpoint\nCREATE INDEX `on_bio` ON `agents` (`bio`,`id`);', true],
  ['DROP INDEX `on_bio`;--> statement-breakpoint\nCREATE INDEX `on_bio` ON `agents` (`id`,`bio`);', false],
  [
    'DROP INDEX `on_bio`;--> statement-breakpoint\nCREATE UNIQUE INDEX `on_bio` ON `agents` (`bio`,`id`);',
    false,
  ],
  ['DROP INDEX `one_did`;--> statement-breakpoint\nCREATE INDEX `one_did` ON `agents` (`did`,`id`);', false],
  ['CREATE TABLE "a" ("b" text);--> statement-breakpoint\nCREATE UNIQUE INDEX "u" ON "a" ("b");', true],
])('%s', (migration, onlyAdds) => {
  const earlier =
    'CREATE INDEX `on_bio` ON `agents` (`bio`);--> statement-breakpoint\nCREATE UNIQUE INDEX `one_did` ON `agents` (`did`);';
  expect(findBreaking(migration, [earlier]).length === 0).toBe(onlyAdds);
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  const folder = migrationsFolder(dialect);
  const all = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted();
  const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');
  // The first one is the baseline.
  test.each(all.slice(1))(
    `${dialect}/%s only adds, drops foreign keys or widens indexes, or requires a migration`,
    (name) => {
      const migration = textOf(name);
      const earlier = all.filter((other) => other < name).map(textOf);
      if (!/INSERT INTO ["`]?required_migrations\b/i.test(migration))
        expect(findBreaking(migration, earlier)).toEqual([]);
    },
  );
}
