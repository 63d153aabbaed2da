/** A disk that fills is reported before it is full. */
import { expect, test } from 'bun:test';
import { createRecordingLogger } from '#test/harness/recording-logger.ts';
import { renderMetrics } from '#runtime/tracing/metrics.ts';
import { createDiskWatch, readDiskShare } from '#workers/sweeper/watch-disk.ts';

test('a disk with less than a tenth free is logged once, and is in the metrics', async () => {
  const { logger, lines } = createRecordingLogger();
  let share = 0.5;
  const look = createDiskWatch({ logger, readShare: async () => share });
  await look();
  expect(lines).toHaveLength(0);
  share = 0.09;
  await look();
  await look();
  expect(lines).toMatchObject([{ level: 'warn', freeShare: 0.09 }]);
  expect(await renderMetrics()).toContain('hub_disk_free_share 0.09');
});

test('the share is that of the disk with the SQLite file', async () => {
  const share = await readDiskShare({ database: { kind: 'sqlite', file: `${import.meta.dirname}/hub.db` } });
  expect(share).toBeWithin(0, 1);
  expect(await readDiskShare({ database: { kind: 'postgres', url: 'postgres://a@b/c' } })).toBeNull();
});
