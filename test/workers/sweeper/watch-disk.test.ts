/** A disk that fills is reported before it is full. */
import { expect, test } from 'bun:test';
import { createRecordingLogger } from '#test/harness/recording-logger.ts';
import { renderMetrics } from '#runtime/tracing/metrics.ts';
import { readFreeSpace } from '#db/free-space.ts';
import { createReadiness } from '#domain/check-readiness.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { createDiskWatch } from '#workers/sweeper/watch-disk.ts';

test('a disk with less than a tenth free is logged once, and is in the metrics', async () => {
  const { logger, lines } = createRecordingLogger();
  let share = 0.5;
  const look = createDiskWatch(logger, async () => ({ share }));
  await look();
  expect(lines).toHaveLength(0);
  share = 0.09;
  await look();
  await look();
  expect(lines).toMatchObject([{ level: 'warn', freeShare: 0.09 }]);
  expect(await renderMetrics()).toContain('hub_disk_free_share 0.09');
});

test('the space is that of the disk with the SQLite file', async () => {
  const store = await openScratchStore('sqlite');
  const free = await readFreeSpace(store.db);
  expect(free?.share).toBeWithin(0, 1);
  expect(free?.bytes).toBeGreaterThan(0);
  await store.remove();
});

test('a ready process says that the disk fills', async () => {
  const store = await openScratchStore('sqlite');
  const warningsAt = (share: number) =>
    createReadiness(store.db, null, async () => ({ share })).warnings(new Date());
  expect(await warningsAt(0.1)).toEqual([]);
  expect(await warningsAt(0.042)).toEqual([expect.stringContaining('Only 4.2% of the disk of the database')]);
  await store.remove();
});
