/**
 * The chaos test, on Postgres with one disturbance of each kind unless `CHAOS_SECONDS` says otherwise; `npm run long -- chaos`
 * takes three minutes per store. A failure prints the seed; `CHAOS_SEED` replays it.
 */
import { test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { runChaos } from './run-chaos.ts';

const given = process.env['CHAOS_SECONDS'];
const seconds = Number(given ?? '0');
/** For requests in flight at the end: a stopped worker resumes, a lost wake is found. */
const lastResponsesMs = 60_000;

for (const dialect of given === undefined ? (['postgres'] as const) : (['sqlite', 'postgres'] as const)) {
  test(
    `on ${dialect}, killed and stopped workers and a flushed Redis lose, oversell and double nothing`,
    async () => {
      const seed = process.env['CHAOS_SEED'] ?? randomBytes(16).toString('hex');
      console.log(`chaos on ${dialect}: CHAOS_SEED=${seed} CHAOS_SECONDS=${seconds}`);
      console.log(await runChaos({ dialect, seed, durationMs: seconds * 1_000 }));
    },
    seconds * 1_000 + lastResponsesMs,
  );
}
