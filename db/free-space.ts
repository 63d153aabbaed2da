/** The room that a store has left. On Postgres, its own monitoring knows. */
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { prepareOnce } from './prepared.ts';

export interface FreeSpace {
  /** The file of the store. */
  readonly file: string;
  readonly bytes: number;
  /** Of the disk, from 0 to 1. */
  readonly share: number;
}

/** @returns null if the store is not a file of this machine */
export async function readFreeSpace(db: Database): Promise<FreeSpace | null> {
  if (db.dialect !== 'sqlite') return null;
  const [main] = await selectFile(db).execute();
  if (main === undefined || main.file === '') return null; // In memory, as in demo mode.
  const { bavail, blocks, bsize } = await statfs(dirname(main.file));
  return { file: main.file, bytes: bavail * bsize, share: bavail / blocks };
}

const selectFile = prepareOnce(({ query }) =>
  query
    .select({ file: sql<string>`file` })
    .from(sql`pragma_database_list`)
    .where(sql`name = 'main'`)
    .prepare('file_of_store'),
);

export interface StoreState {
  /** Such as `SQLite`. */
  readonly name: string;
  /** On Postgres, up to a minute old. */
  readonly bytes: number;
  readonly free: FreeSpace | null;
}

export async function readStoreState(db: Database): Promise<StoreState> {
  const free = await readFreeSpace(db);
  if (free !== null) return { name: 'SQLite', bytes: (await stat(free.file)).size, free };
  return { name: 'Postgres', bytes: await readSize(db), free };
}

const sizeKeptMs = 60_000;
const sizes = new WeakMap<Database, { readonly bytes: number; readonly readAtMs: number }>();

/** Postgres looks at each of its files, which takes longer than all other statements of a page. */
async function readSize(db: Database): Promise<number> {
  const known = sizes.get(db);
  if (known !== undefined && performance.now() - known.readAtMs < sizeKeptMs) return known.bytes;
  const [row] = await selectSize(db).execute();
  const bytes = row?.bytes ?? 0;
  sizes.set(db, { bytes, readAtMs: performance.now() });
  return bytes;
}

const selectSize = prepareOnce(({ query }) =>
  query
    .select({ bytes: sql`bytes`.mapWith(Number) })
    .from(sql`pg_database_size(current_database()) as size(bytes)`)
    .prepare('size_of_store'),
);

/** The alert HubDiskFills has the same bound. */
const shareMin = 0.1;

/** @returns null while at least a tenth of the disk is free */
export function whyDiskFills(free: Pick<FreeSpace, 'share'> | null): string | null {
  if (free === null || free.share >= shareMin) return null;
  return `Only ${(100 * free.share).toFixed(1)}% of the disk of the database is free, and writes fail when it is full.`;
}
