/** The disk of the store fills up. `TMPDIR` must be on a small disk of its own (`test/harness/small-disk.ts`). */
import { Database as SqliteFile } from 'bun:sqlite';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Disturbance } from './disturbance.ts';

const megabyte = Buffer.alloc(1024 * 1024);
const kilobyte = Buffer.alloc(1024);
/** Kept free for what the hub writes before the last step. */
const spareMb = 8;

export const fillDisk: Disturbance = {
  name: 'the disk of the store and of Redis full',
  start: async ({ store: { setting } }) => {
    const [ballast, spare] = [join(tmpdir(), 'ballast'), join(tmpdir(), 'spare')];
    await writeFile(spare, Buffer.alloc(spareMb * megabyte.length));
    await appendUntilFull(ballast, megabyte);
    await rm(spare);
    if (setting.kind === 'sqlite') truncateLog(setting.file);
    for (const piece of [megabyte, kilobyte]) await appendUntilFull(ballast, piece);
    return () => rm(ballast);
  },
};

async function appendUntilFull(file: string, piece: Buffer): Promise<void> {
  for (;;) {
    try {
      await appendFile(file, piece);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return;
      throw error;
    }
  }
}

/** SQLite reuses the space of its log before it asks the disk for more. */
function truncateLog(file: string): void {
  const other = new SqliteFile(file);
  other.run('PRAGMA busy_timeout = 5000');
  other.run('PRAGMA wal_checkpoint(TRUNCATE)');
  other.close();
}
