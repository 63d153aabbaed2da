/** Tells whether a store has this version's schema, for those who may only look and not migrate. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { max, sql } from 'drizzle-orm';
import type { Database, Dialect } from './database.ts';
import { migrationsFolder } from './migrations-folder.ts';

/** Whether the newest migration of this version is applied. A store that is ahead of it counts too: migrations only add. */
export async function isMigrated(db: Database): Promise<boolean> {
  return (await newestApplied(db)) >= newestMigration(db.dialect);
}

/** When the newest migration that the store has was made (Unix time in ms). Rejects for a store that knows of none. */
export async function newestApplied(db: Database): Promise<number> {
  const [applied] = await db.query
    .select({ newest: max(sql<number>`created_at`).mapWith(Number) })
    .from(appliedTables[db.dialect]);
  return applied?.newest ?? 0;
}

/** Where Drizzle's migrator keeps its account. */
const appliedTables = {
  sqlite: sql`__drizzle_migrations`,
  postgres: sql`drizzle.__drizzle_migrations`,
} as const satisfies Record<Dialect, unknown>;

const known = new Map<Dialect, readonly number[]>();

/** When the newest migration in the code was made (Unix time in ms), which is what the migrator goes by as well. */
export function newestMigration(dialect: Dialect): number {
  return Math.max(...migrationTimes(dialect));
}

/** When the first one was made: every store of a hub has it, and none of another program that uses the same migrator. */
export function firstMigration(dialect: Dialect): number {
  return Math.min(...migrationTimes(dialect));
}

function migrationTimes(dialect: Dialect): readonly number[] {
  let times = known.get(dialect);
  if (times === undefined) {
    const file = join(migrationsFolder(dialect), 'meta', '_journal.json');
    // Written by drizzle-kit in this form.
    const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: { when: number }[] };
    times = journal.entries.map(({ when }) => when);
    known.set(dialect, times);
  }
  return times;
}
