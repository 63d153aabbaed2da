import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Dialect } from '#db/dialect.ts';
import { hubBinary } from '#test/harness/hub-binary.ts';
import { maySmallDisk, runOnSmallDisk } from '#test/harness/small-disk.ts';

const timeoutMs = 240_000;
/** Postgres copies its programs to the disk if it has to run as another user. */
const sizesMb: Readonly<Record<Dialect, number>> = { sqlite: 64, postgres: 512 };
const isPossible = await maySmallDisk();
if (!isPossible) console.log('SKIPPED: this system does not allow mounting a disk to fill.');

for (const dialect of ['sqlite', 'postgres'] as const) {
  test.if(isPossible)(
    `on a full disk, responses of a hub on ${dialect} are documented, nothing is lost or doubled, and the hub recovers once there is space`,
    async () => {
      const { exitCode, output } = await runOnSmallDisk({
        sizeMb: sizesMb[dialect],
        command: [process.execPath, 'test', join(import.meta.dir, 'full-disk.ts')],
        // The binary would not fit on the disk.
        env: { FULL_DISK_OF: dialect, TEST_HUB_BINARY: hubBinary },
        timeoutMs,
      });
      console.log(output);
      expect(exitCode).toBe(0);
    },
  );
}
