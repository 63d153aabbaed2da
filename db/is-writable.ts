/** Reports whether a store could accept a write, without writing. Probes call this every few seconds. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sql } from 'drizzle-orm';
import type { Database } from './database.ts';

/** SQLite's log may grow to this size before it is checkpointed. */
const freeSpaceMinBytes = 32 * 1024 * 1024;

/** False on a full disk, and on a Postgres that accepts no writes, such as a standby. */
export async function isWritable(db: Database, roomMinBytes: number = freeSpaceMinBytes): Promise<boolean> {
  switch (db.dialect) {
    case 'sqlite':
      return hasRoom(db, roomMinBytes);
    case 'postgres':
      return takesWrites(db);
  }
}

async function hasRoom({ query }: Database, roomMinBytes: number): Promise<boolean> {
  const [main] = await query
    .select({ file: sql<string>`file` })
    .from(sql`pragma_database_list`)
    .where(sql`name = 'main'`);
  if (main === undefined || main.file === '') return true; // In memory, as in demo mode.
  const { bavail, bsize } = await statfs(dirname(main.file));
  return bavail * bsize >= roomMinBytes;
}

async function takesWrites({ query }: Database): Promise<boolean> {
  const [setting] = await query
    .select({ readOnly: sql<string>`setting` })
    .from(sql`pg_settings`)
    .where(sql`name = 'transaction_read_only'`);
  return setting?.readOnly !== 'on';
}
