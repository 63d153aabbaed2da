/** Copies of a store's migrations, as an earlier or later version of the hub would have them. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dialect } from '#db/dialect.ts';
import { migrationsFolder } from '#db/migrations.ts';

interface Journal {
  entries: { idx: number; version: string; when: number; tag: string; breakpoints: boolean }[];
}

/** Runs `work` with a folder that has only the baseline, as in the first release. */
export function withBaseline<T>(dialect: Dialect, work: (folder: string) => Promise<T>): Promise<T> {
  return withCopy(dialect, work, (_folder, journal) => ({
    ...journal,
    entries: journal.entries.slice(0, 1),
  }));
}

/** Runs `work` with a folder of all migrations plus one made of `statements`. */
export function withNextMigration<T>(
  dialect: Dialect,
  statements: readonly string[],
  work: (folder: string) => Promise<T>,
): Promise<T> {
  return withCopy(dialect, work, (folder, journal) => {
    const newest = journal.entries.at(-1)!;
    const next = { ...newest, idx: newest.idx + 1, when: newest.when + 1, tag: 'next' };
    writeFileSync(join(folder, `${next.tag}.sql`), statements.join('\n--> statement-breakpoint\n'));
    return { ...journal, entries: [...journal.entries, next] };
  });
}

async function withCopy<T>(
  dialect: Dialect,
  work: (folder: string) => Promise<T>,
  change: (folder: string, journal: Journal) => Journal,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-hub-migrations-'));
  try {
    cpSync(migrationsFolder(dialect), folder, { recursive: true });
    const journalFile = join(folder, 'meta', '_journal.json');
    // The journal has the format of drizzle-kit.
    const journal = JSON.parse(readFileSync(journalFile, 'utf8')) as Journal;
    writeFileSync(journalFile, JSON.stringify(change(folder, journal)));
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
