/**
 * Loaded before every test file. Property tests draw the same cases in every run, so that a change is judged by what it changes;
 * `TEST_SEED=<n>` draws others, and `TEST_SEED=random` new ones each time. A failure prints its seed and path for a replay.
 */
import { setDefaultTimeout } from 'bun:test';
import fc from 'fast-check';
import { testTimeoutMs } from '#cli/test-timeout.ts';
import { compareDatesInMatchObject } from './harness/match-object.ts';

compareDatesInMatchObject();

const seed = process.env['TEST_SEED'];
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed ?? 20_261_121) });

// `npm test` says so on the command line. `bun test` alone has no such setting in its configuration, and forgets with each
// file what was set before, so it is set again as a file is loaded.
setDefaultTimeout(testTimeoutMs);
Bun.plugin({
  name: 'test time-out',
  setup: (build) =>
    void build.onLoad({ filter: /\.test\.ts$/ }, async ({ path }) => {
      setDefaultTimeout(testTimeoutMs);
      return { contents: await Bun.file(path).text(), loader: 'ts' };
    }),
});
