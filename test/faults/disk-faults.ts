/** The disk of a store is full. Run with `TMPDIR` on a disk of their own (`test/harness/small-disk.ts`), which they fill. */
import { Database as SqliteFile } from 'bun:sqlite';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fault } from './fault.ts';

const block = Buffer.alloc(1024 * 1024);
const smallest = Buffer.alloc(1024);
/** Room for what is written until the last is taken. */
const spareMb = 8;

/**
 * @param beforeTheLast done when nearly all is full, so that little is written between it and the end
 * @returns how to make room again
 */
async function fillDisk(beforeTheLast: () => void): Promise<() => Promise<void>> {
  const [ballast, spare] = [join(tmpdir(), 'ballast'), join(tmpdir(), 'spare')];
  await writeFile(spare, Buffer.alloc(spareMb * block.length));
  await appendUntilFull(ballast, block);
  await rm(spare);
  beforeTheLast();
  for (const piece of [block, smallest]) await appendUntilFull(ballast, piece);
  return () => rm(ballast);
}

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

/** SQLite writes where its log has been written before until that is used up; it starts from nothing after this. */
function emptyLog(file: string): void {
  const stranger = new SqliteFile(file);
  stranger.run('PRAGMA busy_timeout = 5000');
  stranger.run('PRAGMA wal_checkpoint(TRUNCATE)');
  stranger.close();
}

export const diskFaults: readonly Fault[] = [
  {
    name: 'the disk of SQLite and of Redis’ file full',
    dialects: ['sqlite'],
    refusals: ['database_unavailable', 'queue_unavailable'],
    mustRefuse: 'database_unavailable',
    lastsMs: 3_000,
    strike: async ({ store }) => {
      const { setting } = store;
      if (setting.kind !== 'sqlite') throw new Error('This fault is of SQLite.');
      return fillDisk(() => emptyLog(setting.file));
    },
  },
  {
    name: 'the disk of Postgres full',
    dialects: ['postgres'],
    refusals: ['database_unavailable', 'queue_unavailable'],
    mustRefuse: 'database_unavailable',
    lastsMs: 4_000,
    strike: () => fillDisk(() => undefined),
  },
];
