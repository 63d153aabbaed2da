/**
 * `npm test`: runs `bun test` on all files but the long ones, with tests of both stores on SQLite only, or on the files
 * named. Prints `N passed, N failed` as the last line. Temporary files go into one folder, which
 * is removed at the end with whatever tests left behind. When all files have passed,
 * `test/conformance/after-full-run.ts` checks what the run has recorded. A run that takes too long is ended and fails.
 *
 * `npm run test:long` runs the long files, then the tests of both stores in the other files, on Postgres.
 * `npm test -- --update-timings` rewrites `test/timings.json`.
 */
import { Glob } from 'bun';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Dialect } from '#db/dialect.ts';
import { type Output, passOn } from './testing/pass-on.ts';
import { startWatchdog, testTimeoutMs } from './testing/watchdog.ts';
import { longTests } from './testing/long-tests.ts';
import { makeRunFolder } from './testing/run-folder.ts';

interface Run {
  /** All of the project's, if empty. */
  readonly files: readonly string[];
  /** Options that leave out files or tests. */
  readonly filters: readonly string[];
  /** Where tests of both stores run; undefined for both. */
  readonly store?: Dialect;
}

interface Tally extends Pick<Output, 'failedFiles'> {
  readonly passed: number;
  readonly failed: number;
  /** The failures in the runner's own total; undefined if it did not come to one. */
  readonly counted: number | undefined;
}

/** Each worker has its own servers and database connections, so more of them would not be faster. */
const maxWorkers = 6;
/** Where more fail, it is no accident. */
const maxRepeatedFiles = 30;
const leftoverTimeoutMs = 5000;
const leftoverPollMs = 50;
/** Not named like a test file, because it only makes sense after a full run. */
const afterAll = './test/conformance/after-full-run.ts';
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const given = process.argv.slice(2);
const isLong = given.includes('--long');
const words = given.filter((word) => word !== '--long');
const isFullRun = !isLong && words.every((word) => word.startsWith('--'));

const runs: readonly Run[] = isLong ? longRuns() : [isFullRun ? shortRun() : { files: [], filters: [] }];

const folder = makeRunFolder();
const loadedFiles = join(folder, 'loaded-files.txt');

let runner: Bun.Subprocess | null = null;
let isInterrupted = false;
for (const signal of signals)
  process.on(signal, () => {
    isInterrupted = true;
    runner?.kill(signal);
  });

// Two more than there are cores, because many tests wait for timeouts or for processes to restart. Each worker loads
// and compiles the hub: on two cores, six workers take a seventh more CPU time than four.
const parallel = `--parallel=${Math.min(maxWorkers, availableParallelism() + 2)}`;
// Files that share a worker share its loaded modules and compiled code, which saves a third of the processor
// time. With timings, the slowest files start first.
const options = [
  parallel,
  '--no-isolate',
  '--timings=test/timings.json',
  `--timeout=${testTimeoutMs}`,
  ...words,
];
let [passed, failed] = [0, 0];
for (const each of runs) {
  if (isInterrupted) break;
  const tally = await runRepeating(each);
  passed += tally.passed;
  failed += tally.failed;
}
if (isFullRun && failed === 0 && existsSync(afterAll)) {
  const after = await run([afterAll]);
  passed += after.passed;
  failed += after.failed;
}
await waitForServersToEnd();
await rm(folder, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

function shortRun(): Run {
  const filters = longTests.map((pattern) => `--path-ignore-patterns=${pattern}`);
  return { files: [], filters, store: 'sqlite' };
}

function longRuns(): Run[] {
  const long = findLongTests();
  // `npm test` runs these on SQLite.
  const others = [...new Glob('test/**/*.test.ts').scanSync('.')]
    .map((file) => `./${file}`)
    .filter(
      (file) =>
        !long.includes(file) && /forEachStore\(|onStore\((?!'sqlite')/.test(readFileSync(file, 'utf8')),
    );
  const onPostgres: Run = { files: others, filters: ['--test-name-pattern=on postgres'], store: 'postgres' };
  return [{ files: long, filters: [] }, ...(others.length > 0 ? [onPostgres] : [])];
}

/** Runs the tests, and those of failed files once more where `TEST_REPEAT_FAILED` asks for it. */
async function runRepeating({ files, filters, store }: Run): Promise<Pick<Tally, 'passed' | 'failed'>> {
  const { passed, failed, failedFiles, counted } = await run([...options, ...filters, ...files], store);
  const repeated = [...failedFiles.keys()];
  const inRepeated = [...failedFiles.values()];
  // A run that was cut off has failed in other ways too.
  const isExplained = repeated.length > 0 && sum(inRepeated.map((file) => file.failed)) === counted;
  if (!process.env['TEST_REPEAT_FAILED'] || !isExplained || repeated.length > maxRepeatedFiles)
    return { passed, failed };
  const again = await run(
    [`--timeout=${testTimeoutMs}`, ...filters, ...repeated.map((file) => `./${file}`)],
    store,
  );
  const passing = repeated.filter((file) => !again.failedFiles.has(file)).join(', ');
  if (passing !== '') console.log(`\nPassed only when repeated: ${passing}`);
  return {
    passed: passed + again.passed - sum(inRepeated.map((file) => file.passed)),
    failed: again.failed,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** @throws Error if a pattern matches no file, because it was renamed */
function findLongTests(): readonly string[] {
  return longTests.flatMap((pattern) => {
    const files = [...new Glob(pattern).scanSync('.')].map((file) => `./${file}`);
    if (files.length === 0) throw new Error(`No test file matches ${pattern}, a pattern in longTests.`);
    return files;
  });
}

async function run(parameters: readonly string[], store?: Dialect): Promise<Tally> {
  const spawned = Bun.spawn([process.execPath, 'test', ...parameters], {
    stdin: 'ignore',
    stdout: 'inherit',
    // Forwarded below: the runner prints its results and totals here.
    stderr: 'pipe',
    env: {
      ...process.env,
      TMPDIR: folder,
      TEST_SEEN_ANSWERS: join(folder, 'seen-answers.txt'),
      TEST_LOADED_FILES: loadedFiles,
      ...(store === undefined ? {} : { TEST_STORE: store }),
      // By default, Bun's allocator returns unused memory after 10 ms and soon takes it again, which costs a tenth of
      // the CPU time.
      MIMALLOC_PURGE_DELAY: '-1',
      // Collecting garbage by the clock, too, costs another tenth.
      BUN_GC_TIMER_DISABLE: '1',
      // Few functions run long enough to repay what the last compiler costs.
      BUN_JSC_useFTLJIT: '0',
      ...(process.stderr.isTTY ? { FORCE_COLOR: '1' } : {}),
    },
  });
  runner = spawned;
  const watchdog = startWatchdog(spawned, loadedFiles);
  const { end, failures, failedFiles } = await passOn(spawned.stderr, process.stderr);
  const exitCode = await spawned.exited;
  watchdog.stop();
  if (failures.length > 0) console.error(`\nThe failures again:\n\n${failures.join('\n\n')}`);
  return { ...readTotals(end, exitCode), failedFiles };
}

/**
 * The runner ends with ` 12 pass` and ` 1 fail`. Without those lines, or with another failure, the run counts
 * as failed.
 */
function readTotals(output: string, exitCode: number): Omit<Tally, 'failedFiles'> {
  const plain = Bun.stripANSI(output);
  const count = (word: string): number | undefined => {
    const last = [...plain.matchAll(new RegExp(`^ (\\d+) ${word}$`, 'gm'))].at(-1);
    return last === undefined ? undefined : Number(last[1]);
  };
  const counted = count('fail');
  const failed = exitCode !== 0 && counted === 0 ? 1 : (counted ?? 1);
  return { passed: count('pass') ?? 0, failed, counted };
}

/** The Postgres keeper removes its folder last, once it sees that the run is over. */
async function waitForServersToEnd(): Promise<void> {
  const deadline = performance.now() + leftoverTimeoutMs;
  while (performance.now() < deadline) {
    const names = await readdir(folder);
    if (!names.some((name) => name.startsWith('agent-hub-'))) return;
    await Bun.sleep(leftoverPollMs);
  }
}
