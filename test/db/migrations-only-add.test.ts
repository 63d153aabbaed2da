/**
 * Processes of two versions work on one store during an upgrade, so a migration only adds, drops a foreign key, or
 * gives an index more columns. One that removes something else excludes the versions that still use it with a row in `required_migrations`.
 */
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrationsFolder } from '#db/migrations.ts';

/** No version with only the earlier ones was ever in use. */
const firstChecked = '0002';

/** The statements of a migration that may break an older version. */
function findBreaking(migration: string): readonly string[] {
  const statements = migration
    .split('--> statement-breakpoint')
    .map((statement) => statement.replaceAll(/["`]/g, '').trim());
  const created = new Set(
    statements.flatMap((statement) => /^CREATE TABLE (\S+)/i.exec(statement)?.[1] ?? []),
  );
  const indexes = new Set(
    statements.flatMap((statement) => /^CREATE INDEX (\S+)/i.exec(statement)?.[1] ?? []),
  );
  return statements.filter(
    (statement) => statement !== '' && !isAddition(statement, created) && !isReplaced(statement, indexes),
  );
}

/** @param created the indexes that the same migration creates, which are not unique */
function isReplaced(statement: string, created: ReadonlySet<string>): boolean {
  const dropped = /^DROP INDEX (\w+);?$/i.exec(statement)?.[1];
  return dropped !== undefined && created.has(dropped);
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
  ['DROP INDEX `i`;--> statement-breakpoint\nCREATE INDEX `i` ON `agents` (`bio`,`id`);', true],
  ['DROP INDEX `i`;--> statement-breakpoint\nCREATE UNIQUE INDEX `i` ON `agents` (`bio`,`id`);', false],
  ['CREATE TABLE "a" ("b" text);--> statement-breakpoint\nCREATE UNIQUE INDEX "u" ON "a" ("b");', true],
])('%s', (migration, onlyAdds) => {
  expect(findBreaking(migration).length === 0).toBe(onlyAdds);
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  const folder = migrationsFolder(dialect);
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql') && name >= firstChecked);
  test.each(files)(
    `${dialect}/%s only adds, drops foreign keys or widens indexes, or requires a migration`,
    (name) => {
      const migration = readFileSync(join(folder, name), 'utf8');
      if (!/INSERT INTO ["`]?required_migrations\b/i.test(migration))
        expect(findBreaking(migration)).toEqual([]);
    },
  );
}
