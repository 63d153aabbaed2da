/**
 * The chaos test at the size that the environment asks for, small when it does not: `npm run chaos` runs it for three
 * minutes on each store. A failure names the seed; `CHAOS_SEED` replays it.
 */
import { test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import type { Dialect } from '#db/database.ts';
import { runChaos } from './run-chaos.ts';

const seconds = Number(process.env['CHAOS_SECONDS'] ?? '8');
/** For the requests under way when it is over: a stopped worker goes on, a lost wake is found. */
const lastAnswersMs = 60_000;

export function testChaos(dialect: Dialect): void {
  test(
    `on ${dialect}, killed and stopped workers and an emptied Redis lose, oversell and double nothing`,
    async () => {
      const seed = process.env['CHAOS_SEED'] ?? randomBytes(16).toString('hex');
      console.log(`chaos on ${dialect}: CHAOS_SEED=${seed} CHAOS_SECONDS=${seconds}`);
      console.log(await runChaos({ dialect, seed, durationMs: seconds * 1_000 }));
    },
    seconds * 1_000 + lastAnswersMs,
  );
}
