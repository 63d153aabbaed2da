/** Warns before the disk of the database is full, when writes would fail. On Postgres, its own monitoring does. */
import { type FreeSpace, whyDiskFills } from '#db/free-space.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { gauge } from '#runtime/tracing/metrics.ts';

const freeShare = gauge(
  'hub_disk_free_share',
  'How much of the disk of the SQLite file is free, from 0 to 1; nothing on Postgres.',
);

/** Of the warning in the log. */
const repeatedAfterMs = 10 * 60_000;

/**
 * @param readSpace null if there is no SQLite file
 * @returns what a round does; it finds no further work
 */
export function createDiskWatch(
  logger: Logger,
  readSpace: () => Promise<Pick<FreeSpace, 'share'> | null>,
): () => Promise<number> {
  let warnedAt = -Infinity;
  return async () => {
    const free = await readSpace();
    if (free === null) return 0;
    freeShare.set({}, free.share);
    const filling = whyDiskFills(free);
    if (filling !== null && performance.now() - warnedAt > repeatedAfterMs) {
      warnedAt = performance.now();
      logger.warn({ freeShare: free.share }, filling);
    }
    return 0;
  };
}
