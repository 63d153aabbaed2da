/**
 * The crash test at the size that the environment asks for, small when it does not: `npm run crash` has the hub die a
 * thousand times on each store. A failure names the seed; `CRASH_SEED` replays it.
 */
import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import type { Dialect } from '#db/database.ts';
import { runCrashes } from './run-crashes.ts';

const kills = Number(process.env['CRASH_KILLS'] ?? '4');
/** Some seconds for the whole hub, or as long as it takes. */
const isLong = process.env['CRASH_KILLS'] !== undefined;
/** In a run of so many, a process of each role dies at every point that it passes. */
const everyPointFromKills = 1_000;
/** Generous: a process takes a second or two from start to death. */
const perKillMaxMs = 25_000;
const restMaxMs = 180_000;

export function testCrashes(dialect: Dialect): void {
  test(
    `on ${dialect}, a hub that dies at any step loses, doubles and forgets nothing of what it acknowledged`,
    async () => {
      const seed = process.env['CRASH_SEED'] ?? randomBytes(16).toString('hex');
      console.log(`crashes on ${dialect}: CRASH_SEED=${seed} CRASH_KILLS=${kills}`);
      const { neverDiedAt, ...report } = await runCrashes({ dialect, seed, kills, isLong });
      if (isLong) console.log(`nobody died at: ${neverDiedAt.join(', ') || 'none'}`);
      console.log(report);
      // A hub that never served would have lost nothing either.
      expect(report.acknowledged).toBeGreaterThan(0);
      expect(report.points).toBeGreaterThan(0);
      if (kills >= everyPointFromKills) expect(neverDiedAt).toEqual([]);
    },
    kills * perKillMaxMs + restMaxMs,
  );
}
