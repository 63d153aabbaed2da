/**
 * The crash test, with 4 kills unless `CRASH_KILLS` says otherwise; `npm run long -- crash` makes a thousand per store. A
 * failure prints the seed; `CRASH_SEED` replays it.
 */
import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { runCrashes } from './run-crashes.ts';

const kills = Number(process.env['CRASH_KILLS'] ?? '4');
const isLong = process.env['CRASH_KILLS'] !== undefined;
/** With this many kills, each role must die at every point it passes. */
const everyPointFromKills = 1_000;
/** A process takes a second or two from start to death; the rest is for a busy machine. */
const perKillMaxMs = 25_000;
const restMaxMs = 180_000;

for (const dialect of ['sqlite', 'postgres'] as const) {
  // Both tests mostly wait for processes to start and for leases to end. A long run has the machine to itself.
  const define = isLong ? test : test.concurrent;
  define(
    `on ${dialect}, a hub that is killed at any step loses and duplicates nothing it acknowledged`,
    async () => {
      const seed = process.env['CRASH_SEED'] ?? randomBytes(16).toString('hex');
      console.log(`crashes on ${dialect}: CRASH_SEED=${seed} CRASH_KILLS=${kills}`);
      const { missed, ...report } = await runCrashes({ dialect, seed, kills, isLong });
      if (isLong) console.log(`no death at: ${missed.join(', ') || 'none'}`);
      console.log(report);
      // Otherwise the test would also pass with a hub that never served a request.
      expect(report.acknowledged).toBeGreaterThan(0);
      expect(report.points).toBeGreaterThan(0);
      if (kills >= everyPointFromKills) expect(missed).toEqual([]);
    },
    kills * perKillMaxMs + restMaxMs,
  );
}
