/** Writes as requests do, and rolls back, to find out whether a store accepts writes. */
import type { Database, Transaction } from './database.ts';
import { DatabaseUnavailableError } from './errors.ts';
import { readFreeSpace } from './free-space.ts';
import { discardingWrites } from './transaction.ts';
import { connectionOf } from './prepared.ts';

/** SQLite's log may grow to this size before it is checkpointed. */
const freeSpaceMinBytes = 32 * 1024 * 1024;
/** A transaction on SQLite stays in memory until its pages exceed the cache. These reach the log and are not committed. */
const spilledCharacters = 64 * 1024;
const spillingCacheKib = 8;

class RolledBack extends Error {}

/** Also on a frozen hub, which stores nothing. Rejects with the reason if the store does not accept the write. */
export async function tryWrite(db: Database, roomMinBytes: number = freeSpaceMinBytes): Promise<void> {
  const free = await readFreeSpace(db);
  if (free !== null && free.bytes < roomMinBytes)
    throw new DatabaseUnavailableError(`The disk of ${free.file} is full: ${free.bytes} bytes are free.`);
  if (free === null && db.dialect === 'sqlite') return;
  try {
    await discardingWrites(() =>
      db.transaction<never>(async (tx) => {
        await write(tx);
        throw new RolledBack();
      }),
    );
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
}

async function write(tx: Transaction): Promise<void> {
  const name = `probe ${crypto.randomUUID()}`;
  const row = { id: crypto.randomUUID(), name, createdAt: new Date() };
  const insert = (after: string) => tx.query.insert(tx.tables.settingChanges).values({ ...row, after });
  switch (tx.dialect) {
    case 'postgres':
      return void (await insert(''));
    case 'sqlite': {
      const connection = connectionOf(tx.query);
      const usual = connection.query<{ cache_size: number }, []>('PRAGMA cache_size').get()?.cache_size;
      connection.run(`PRAGMA cache_size = ${-spillingCacheKib}`);
      try {
        await insert('x'.repeat(spilledCharacters));
      } finally {
        if (usual !== undefined) connection.run(`PRAGMA cache_size = ${usual}`);
      }
    }
  }
}
