/** A store as an earlier version has left it: with the first migrations alone. */
import { SQL } from 'bun';
import { Database as SqliteFile } from 'bun:sqlite';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drizzle as drizzlePostgres } from 'drizzle-orm/bun-sql';
import { migrate as applyPostgres } from 'drizzle-orm/bun-sql/migrator';
import { drizzle as drizzleSqlite } from 'drizzle-orm/bun-sqlite';
import { migrate as applySqlite } from 'drizzle-orm/bun-sqlite/migrator';
import type { DatabaseSetting } from '#db/open-database.ts';

/** Applies the migrations before the one named `until`, and then runs `statement` on the store. */
export async function makeOlderStore(
  setting: DatabaseSetting,
  until: string,
  statement: string,
): Promise<void> {
  const migrationsFolder = mkdtempSync(join(tmpdir(), 'agent-hub-migrations-'));
  try {
    cpSync(join(import.meta.dirname, '..', '..', 'db', 'migrations', setting.kind), migrationsFolder, {
      recursive: true,
    });
    leaveOutFrom(until, join(migrationsFolder, 'meta', '_journal.json'));
    switch (setting.kind) {
      case 'sqlite': {
        const client = new SqliteFile(setting.file, { create: true, strict: true });
        applySqlite(drizzleSqlite({ client }), { migrationsFolder });
        client.run(statement);
        client.close();
        return;
      }
      case 'postgres': {
        const client = new SQL({ url: setting.url, max: 1 });
        await applyPostgres(drizzlePostgres({ client }), { migrationsFolder });
        await client.unsafe(statement);
        await client.close();
      }
    }
  } finally {
    rmSync(migrationsFolder, { recursive: true, force: true });
  }
}

function leaveOutFrom(name: string, journalFile: string): void {
  // Written by drizzle-kit in this form.
  const journal = JSON.parse(readFileSync(journalFile, 'utf8')) as { entries: { tag: string }[] };
  const index = journal.entries.findIndex(({ tag }) => tag.endsWith(name));
  if (index === -1) throw new Error(`There is no migration ${name}.`);
  writeFileSync(journalFile, JSON.stringify({ ...journal, entries: journal.entries.slice(0, index) }));
}
