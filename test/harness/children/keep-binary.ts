/** Keeps the compiled hub for one test run. */
import { buildForRun } from '../build-for-run.ts';

await buildForRun('cli/binary.ts');
