import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Dialect } from '#db/database.ts';
import { hubBinary } from '#test/harness/hub-binary.ts';
import { maySmallDisk, runOnSmallDisk } from '#test/harness/small-disk.ts';

const timeoutMs = 120_000;
/** Postgres brings its programs with it where it has to run as another user. */
const sizesMb: Readonly<Record<Dialect, number>> = { sqlite: 64, postgres: 512 };
const isPossible = await maySmallDisk();
if (!isPossible) console.log('SKIPPED: this system lets us mount nothing, so that no disk can be full.');

for (const dialect of ['sqlite', 'postgres'] as const) {
  test.if(isPossible)(
    `on a full disk, callers of a hub on ${dialect} are answered as documented, nothing is lost or doubled, and all goes on once there is room`,
    async () => {
      const { exitCode, output } = await runOnSmallDisk({
        sizeMb: sizesMb[dialect],
        command: [process.execPath, 'test', join(import.meta.dir, 'children', 'full-disk.ts')],
        // It would not fit on the disk.
        env: { FULL_DISK_OF: dialect, TEST_HUB_BINARY: hubBinary },
        timeoutMs,
      });
      console.log(output);
      expect(exitCode).toBe(0);
    },
    timeoutMs,
  );
}
