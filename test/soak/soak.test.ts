/**
 * The soak test, on SQLite for 6 seconds unless `SOAK_MINUTES` says otherwise; `npm run long -- soak` takes an hour per store. A failure
 * prints the seed; `SOAK_SEED` repeats the requests but not their timing.
 */
import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verdictTable } from './judge/judge-soak.ts';
import { runSoak } from './run-soak.ts';

const briefMs = 6_000;
const minutes = process.env['SOAK_MINUTES'];
const durationMs = minutes === undefined ? briefMs : Number(minutes) * 60_000;
const wantedStore = process.env['SOAK_STORE'] ?? (minutes === undefined ? 'sqlite' : 'both');
/** For the start, the last requests, the wait for empty queues and the checks. */
const overheadMaxMs = 600_000;

if (!Number.isFinite(durationMs) || durationMs <= 0)
  throw new Error('SOAK_MINUTES must be a number above 0.');
if (!['sqlite', 'postgres', 'both'].includes(wantedStore))
  throw new Error('SOAK_STORE must be `sqlite`, `postgres` or `both`.');

for (const dialect of ['sqlite', 'postgres'] as const) {
  test.skipIf(wantedStore !== 'both' && wantedStore !== dialect)(
    `on ${dialect}, a hub under mixed load does not leak, empties its queues afterwards and passes its audit`,
    async () => {
      const seed = process.env['SOAK_SEED'] ?? randomBytes(16).toString('hex');
      const file = process.env['SOAK_FILE'] ?? join(tmpdir(), `soak-${dialect}-${seed.slice(0, 6)}.jsonl`);
      console.log(
        `soak on ${dialect}: SOAK_SEED=${seed}, ${durationMs / 60_000} minutes, samples in ${file}`,
      );
      const onProgress = (line: string): void => console.log(`${dialect} ${line}`);
      const verdicts = await runSoak({ dialect, seed, durationMs, file, onProgress });
      console.log(`\nsoak on ${dialect}:\n${verdictTable(verdicts)}`);
      expect(verdicts.flatMap(({ name, holds }) => (holds === false ? name : []))).toEqual([]);
    },
    durationMs + overheadMaxMs,
  );
}
