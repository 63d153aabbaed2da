/**
 * `npm test`: runs `bun test` over all files, or over what is named, and ends with `N passed, N failed` alone on the last
 * line. Temporary files of the run lie in a folder of its own, which is removed with whatever a test left in it. When all
 * files have passed, `test/after/` judges what the run as a whole has shown.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { testTimeoutMs } from './test-timeout.ts';

interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/** Each worker holds servers and database connections of its own, so more of them would not be faster. */
const maxWorkers = 4;
const maxSummaryCharacters = 4000;
const leftoverTimeoutMs = 5000;
const leftoverPollMs = 50;
/** No test file by its name, as it means nothing without the run before it. */
const afterAll = './test/after/documented-answers.ts';
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

// The name is short, as paths of sockets in it are bounded; others may pass through, as Postgres runs as another user.
const folder = await mkdtemp(join(tmpdir(), 'hub-test-'));
await chmod(folder, 0o711);

let runner: Bun.Subprocess | null = null;
for (const signal of signals) process.on(signal, () => runner?.kill(signal));

const named = process.argv.slice(2);
// One more than there are cores, as many tests wait: for time-outs, and for processes to come back.
const parallel = `--parallel=${Math.min(maxWorkers, availableParallelism() + 1)}`;
const tallies = [await run([parallel, `--timeout=${testTimeoutMs}`, ...named])];
if (named.length === 0 && tallies[0]?.failed === 0 && existsSync(afterAll))
  tallies.push(await run([afterAll]));
const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0);
await waitForServersToEnd();
await rm(folder, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

async function run(parameters: readonly string[]): Promise<Tally> {
  const spawned = Bun.spawn([process.execPath, 'test', ...parameters], {
    stdin: 'ignore',
    stdout: 'inherit',
    // Passed on below: the runner writes its results and their sum here.
    stderr: 'pipe',
    env: {
      ...process.env,
      TMPDIR: folder,
      TEST_SEEN_ANSWERS: join(folder, 'seen-answers.txt'),
      ...(process.stderr.isTTY ? { FORCE_COLOR: '1' } : {}),
    },
  });
  runner = spawned;
  return readTally(await passOn(spawned.stderr), await spawned.exited);
}

/** Writes the stream to our own standard error and gives the end of it. */
async function passOn(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  const decoder = new TextDecoder();
  let end = '';
  for await (const chunk of stream) {
    process.stderr.write(chunk);
    end = (end + decoder.decode(chunk, { stream: true })).slice(-maxSummaryCharacters);
  }
  return end;
}

/** The runner ends with lines ` 12 pass` and ` 1 fail`; without them, or when it fails otherwise, the run has failed. */
function readTally(output: string, exitCode: number): Tally {
  const plain = Bun.stripANSI(output);
  const count = (word: string): number | undefined => {
    const last = [...plain.matchAll(new RegExp(`^ (\\d+) ${word}$`, 'gm'))].at(-1);
    return last === undefined ? undefined : Number(last[1]);
  };
  const failed = count('fail') ?? 1;
  return { passed: count('pass') ?? 0, failed: exitCode !== 0 && failed === 0 ? 1 : failed };
}

/** The keeper of the Postgres cluster removes its folder last, once it sees that the run is over. */
async function waitForServersToEnd(): Promise<void> {
  const deadline = performance.now() + leftoverTimeoutMs;
  while (performance.now() < deadline) {
    const names = await readdir(folder);
    if (!names.some((name) => name.startsWith('agent-hub-'))) return;
    await Bun.sleep(leftoverPollMs);
  }
}
