/**
 * `npm run mutate`: puts small faults into the graders of the eval suite, one at a time, and runs the graders' tests over each. A
 * fault that no test sees has survived; fewer than one in ten may. Works on a copy, in as many places at once as there are
 * processors. With words, only files whose path has one of them: `npm run mutate -- read-json`.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findMutants } from './find-mutants.ts';

const project = join(import.meta.dirname, '..', '..');
/** What grades a reply: the graders, and what puts their verdicts together. */
const subjects = ['domain/eval-suite/graders/**/*.ts', 'domain/eval-suite/grade-reply.ts'];
const copied = [
  'domain/eval-suite',
  'test/domain/eval-suite',
  'test/preload.ts',
  'cli/test-timeout.ts',
  'bunfig.toml',
  'package.json',
];
const tests = ['test/domain/eval-suite/graders', 'test/domain/eval-suite/grade-reply.test.ts'];
/** The tests take about a second; a fault that makes them run on for ever is seen. */
const runTimeoutMs = 60_000;
const mostSurvivorsPercent = 10;

const words = process.argv.slice(2);
const files = subjects
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(project)])
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .toSorted();
const mutants = files.flatMap((file) => findMutants(file, readFileSync(join(project, file), 'utf8')));
let survivors = 0;
let next = 0;
let done = 0;

console.log(`${mutants.length} mutants of ${files.length} files`);
const scratch = mkdtempSync(join(tmpdir(), 'agent-hub-mutants-'));
try {
  await Promise.all(
    Array.from({ length: availableParallelism() }, (_, place) => work(join(scratch, String(place)))),
  );
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const percent = mutants.length === 0 ? 0 : (survivors / mutants.length) * 100;
console.log(`${survivors} of ${mutants.length} mutants survived (${percent.toFixed(1)} %)`);
process.exit(percent < mostSurvivorsPercent ? 0 : 1);

/** Takes mutants in turn until none is left. */
async function work(copy: string): Promise<void> {
  for (const path of copied) cpSync(join(project, path), join(copy, path), { recursive: true });
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));
  if (!(await passes(copy))) throw new Error('The tests fail without any fault: mend that first.');
  for (let mutant = mutants[next++]; mutant !== undefined; mutant = mutants[next++]) {
    const path = join(copy, mutant.file);
    const original = readFileSync(path);
    writeFileSync(path, mutant.source);
    const isSeen = !(await passes(copy));
    writeFileSync(path, original);
    done += 1;
    if (!isSeen) {
      survivors += 1;
      console.log(`survived: ${mutant.file}:${mutant.line} ${mutant.change}`);
    }
    if (done % 50 === 0) console.log(`${done} of ${mutants.length} done, ${survivors} survived`);
  }
}

async function passes(copy: string): Promise<boolean> {
  const run = Bun.spawn([process.execPath, 'test', '--bail=1', ...tests], {
    cwd: copy,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
    timeout: runTimeoutMs,
    killSignal: 'SIGKILL',
  });
  return (await run.exited) === 0;
}
