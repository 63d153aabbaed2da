/**
 * Loaded before every test file. Property tests draw the same cases in every run, so that a change is judged by what it changes;
 * `TEST_SEED=<n>` draws others, and `TEST_SEED=random` new ones each time. A failure prints its seed and path for a replay.
 */
import { setDefaultTimeout } from 'bun:test';
import fc from 'fast-check';

// Real servers and processes need more than the runner's five seconds at times.
setDefaultTimeout(30_000);

const seed = process.env['TEST_SEED'];
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed ?? 20_261_121) });
