/** Runs the tests of an area over each of its mutants, in copies of the project, and tells which of them no test sees. */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Stage } from './areas.ts';
import type { Mutant } from './find-mutants.ts';

export interface Trial {
  /** The folder that the mutants are of; nothing in it is written to. */
  readonly project: string;
  /** What of it the tests need, besides `node_modules`. */
  readonly copied: readonly string[];
  readonly mutants: readonly Mutant[];
  readonly stages: readonly Stage[];
  /** An empty folder for the copies. */
  readonly scratch: string;
  /** How many copies are at work at once. */
  readonly places: number;
  /** Called for each mutant once its end is known. */
  readonly onVerdict: (mutant: Mutant, verdict: Verdict) => void;
}

/** A mutant that a test has seen, that made the tests run on past their time, or that has survived. */
export type Verdict = 'killed' | 'timed out' | 'survived';

/** A mutant may take so many times the processor time of the project as it is, and this much in any case. */
const timesLonger = 5;
const leastProcessorSeconds = 3;
const outputShownMax = 4_000;

/** Every test, but none on Postgres. */
const onSqliteAlone = ['--test-name-pattern', '^(?!.*on postgres)'];

/** @throws Error when the tests do not pass over the project as it is */
export async function judgeMutants(trial: Trial): Promise<void> {
  const left = [...trial.mutants];
  if (left.length === 0) return;
  const places = Array.from({ length: Math.min(trial.places, left.length) }, (_, place) =>
    makePlace(trial, join(trial.scratch, String(place))),
  );
  const stages = await measureStages(trial.stages, places[0] ?? '');
  await Promise.all(places.map((place) => work(trial, stages, place, () => left.shift())));
}

/** @returns the folder of a copy, which lies beside what its tests leave behind */
function makePlace({ project, copied }: Trial, place: string): string {
  const copy = join(place, 'hub');
  mkdirSync(place, { recursive: true });
  for (const path of copied) cpSync(join(project, path), join(copy, path), { recursive: true });
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** A stage, and the processor time that a run of it may take. */
interface MeasuredStage extends Stage {
  readonly processorSecondsMax: number;
}

/**
 * Runs each stage over the project as it is, to know how long a mutant may take. What goes on for ever is told by its
 * processor time, as on a busy machine anything may take long by the clock.
 */
async function measureStages(stages: readonly Stage[], copy: string): Promise<readonly MeasuredStage[]> {
  const measured: MeasuredStage[] = [];
  for (const stage of stages) {
    const generous = { ...stage, processorSecondsMax: stage.timeoutMs / 1_000 };
    const { verdict, output, processorSeconds } = await runStage(generous, copy);
    if (verdict !== 'survived') {
      throw new Error(
        `The tests are ${verdict} without any fault: mend that first.\n${output.slice(-outputShownMax)}`,
      );
    }
    const most = Math.max(leastProcessorSeconds, timesLonger * processorSeconds);
    measured.push({ ...stage, processorSecondsMax: Math.ceil(most) });
  }
  return measured;
}

/** Takes mutants in turn until none is left. */
async function work(
  trial: Trial,
  stages: readonly MeasuredStage[],
  copy: string,
  take: () => Mutant | undefined,
): Promise<void> {
  for (let mutant = take(); mutant !== undefined; mutant = take()) {
    const path = join(copy, mutant.file);
    const original = readFileSync(path);
    writeFileSync(path, mutant.source);
    let verdict: Verdict = 'survived';
    for (const stage of stages) {
      if (verdict === 'survived') ({ verdict } = await runStage(kinFirst(stage, mutant), copy));
    }
    writeFileSync(path, original);
    trial.onVerdict(mutant, verdict);
  }
}

/** The test of the very file is the likeliest to see what is wrong with it. */
function kinFirst(stage: MeasuredStage, { file }: Mutant): MeasuredStage {
  const isKin = (test: string): boolean => basename(test).startsWith(basename(file, '.ts'));
  return { ...stage, tests: [...stage.tests.filter(isKin), ...stage.tests.filter((test) => !isKin(test))] };
}

async function runStage(
  { tests, stores, timeoutMs, processorSecondsMax }: MeasuredStage,
  copy: string,
): Promise<{ verdict: Verdict; output: string; processorSeconds: number }> {
  // What a run leaves behind when it is ended goes with this folder.
  const temporary = mkdtempSync(join(copy, '..', 'tmp-'));
  // The Postgres of the tests runs as another user, who has to get through.
  chmodSync(temporary, 0o711);
  const words = [...(stores === 'sqlite' ? onSqliteAlone : []), ...tests.map((test) => `./${test}`)];
  const limited = ['sh', '-c', 'ulimit -t "$0" && exec "$@"', String(processorSecondsMax)];
  const run = Bun.spawn([...limited, process.execPath, 'test', '--bail=1', ...words], {
    cwd: copy,
    env: { ...process.env, TMPDIR: temporary },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const lines: string[] = [];
  // What a run has started may hold its output open when it has ended, so that its end is not waited for.
  void collect(run.stderr, lines);
  const exitCode = await run.exited;
  await remove(temporary);
  const verdict = run.signalCode !== null ? 'timed out' : exitCode === 0 ? 'survived' : 'killed';
  const processorSeconds = Number(run.resourceUsage()?.cpuTime.total ?? 0) / 1_000_000;
  return { verdict, output: lines.join(''), processorSeconds };
}

async function collect(stream: ReadableStream<Uint8Array<ArrayBuffer>>, lines: string[]): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) lines.push(decoder.decode(chunk, { stream: true }));
}

/** A server that a run has started may take some seconds to see that the run is over, and write until then. */
async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}
