/**
 * Loaded before the tests. A `bun test` of all tests becomes `npm test`: it installs what is missing and skips the long
 * files. Property tests draw the same cases in every run, so that only a change of the code changes the result.
 * `TEST_SEED=<n>` draws others, and `TEST_SEED=random` new ones each time. A failure prints its seed and path.
 */
import { setDefaultTimeout } from 'bun:test';
import fc from 'fast-check';
import { handOverFullRun } from '#cli/testing/full-run.ts';
import { recordLoaded, testTimeoutMs } from '#cli/testing/watchdog.ts';
import { compareDatesInMatchObject } from './harness/match-object.ts';

handOverFullRun();
compareDatesInMatchObject();

/** `npm test` names the files that are running if the run does not end. */
const loadedFiles = process.env['TEST_LOADED_FILES'];

const seed = process.env['TEST_SEED'];
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed ?? 20_261_121) });

// `npm test` sets this on the command line. For `bun test`, Bun has no such setting and resets the value for
// each file, so it is set again when a file is loaded.
const timeoutMs = Number(process.env['TEST_TIMEOUT_MS'] ?? testTimeoutMs);
setDefaultTimeout(timeoutMs);
Bun.plugin({
  name: 'test files',
  setup: (build) =>
    void build.onLoad({ filter: /\.test\.ts$/ }, async ({ path }) => {
      setDefaultTimeout(timeoutMs);
      if (loadedFiles !== undefined) recordLoaded(loadedFiles, path);
      return { contents: await Bun.file(path).text(), loader: 'ts' };
    }),
});
