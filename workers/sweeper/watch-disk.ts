/** Warns before the disk of the database is full, when writes would fail. On Postgres, its own monitoring does. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from '#runtime/tracing/log.ts';
import { gauge } from '#runtime/tracing/metrics.ts';
import type { Settings } from '#runtime/settings/settings.ts';

const freeShare = gauge(
  'hub_disk_free_share',
  'How much of the disk of the SQLite file is free, from 0 to 1; nothing on Postgres.',
);

/** The alert HubDiskFills has the same bound. */
const freeShareMin = 0.1;
/** Of the warning in the log. */
const repeatedAfterMs = 10 * 60_000;

export interface DiskWatchOptions {
  readonly logger: Logger;
  /** By default that of the disk with the SQLite file; null if there is none. */
  readonly readShare: () => Promise<number | null>;
}

/** @returns what a round does; it finds no further work */
export function createDiskWatch({ logger, readShare }: DiskWatchOptions): () => Promise<number> {
  let warnedAt = -Infinity;
  return async () => {
    const share = await readShare();
    if (share === null) return 0;
    freeShare.set({}, share);
    if (share < freeShareMin && performance.now() - warnedAt > repeatedAfterMs) {
      warnedAt = performance.now();
      logger.warn(
        { freeShare: share },
        'less than a tenth of the disk of the database is free; writes fail when it is full',
      );
    }
    return 0;
  };
}

export async function readDiskShare({ database }: Pick<Settings, 'database'>): Promise<number | null> {
  if (database.kind !== 'sqlite') return null;
  const { bavail, blocks } = await statfs(dirname(database.file));
  return bavail / blocks;
}
