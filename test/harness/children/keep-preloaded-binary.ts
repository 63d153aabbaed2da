/** Keeps the compiled hub with preloads for one test run. */
import { buildForRun } from '../build-for-run.ts';

await buildForRun('test/harness/children/preloaded-hub.ts');
