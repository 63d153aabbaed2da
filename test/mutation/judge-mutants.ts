/** Runs the tests of an area against each of its mutants, in copies of the project, and reports the survivors. */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Stage } from './areas.ts';
import type { Mutant } from './find-mutants.ts';

export interface Trial {
  /** The project's folder, which is not written to. */
  readonly project: string;
  /** The parts that the tests need besides `node_modules`. */
  readonly copied: readonly string[];
  readonly mutants: readonly Mutant[];
  readonly stages: readonly Stage[];
  /** An empty folder for the copies. */
  readonly scratch: string;
  /** Copies used at once. */
  readonly workers: number;
  readonly onVerdict: (mutant: Mutant, verdict: Verdict) => void;
}

export type Verdict = 'killed' | 'timed out' | 'survived';

/** The processor time of a mutant, as a multiple of that of the original, and at least this much. */
const timesLonger = 5;
const leastProcessorSeconds = 3;
const timeoutMs = 120_000;
const outputShownMax = 4_000;

const withoutPostgres = ['--test-name-pattern', '^(?!.*on postgres)'];

/** @throws Error if the tests fail without a mutant */
export async function judgeMutants(trial: Trial): Promise<void> {
  const left = [...trial.mutants];
  if (left.length === 0) return;
  const places = Array.from({ length: Math.min(trial.workers, left.length) }, (_, place) =>
    makePlace(trial, join(trial.scratch, String(place))),
  );
  const stages = await measureStages(trial.stages, places[0] ?? '');
  await Promise.all(places.map((place) => work(trial, stages, place, () => left.shift())));
}

/** @returns the folder of the copy. Temporary files of its tests go beside it. */
function makePlace({ project, copied }: Trial, place: string): string {
  const copy = join(place, 'hub');
  mkdirSync(place, { recursive: true });
  for (const path of copied) cpSync(join(project, path), join(copy, path), { recursive: true });
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

interface MeasuredStage extends Stage {
  readonly processorSecondsMax: number;
}

/**
 * Measures the processor time of each stage without a mutant. An endless loop is detected by processor time, because on
 * a busy machine anything may take long by the clock.
 */
async function measureStages(stages: readonly Stage[], copy: string): Promise<readonly MeasuredStage[]> {
  const measured: MeasuredStage[] = [];
  for (const stage of stages) {
    const generous = { ...stage, processorSecondsMax: timeoutMs / 1_000 };
    const { verdict, output, processorSeconds } = await runStage(generous, copy);
    if (verdict !== 'survived') {
      throw new Error(
        `The tests are ${verdict} without a mutant. Fix that first.\n${output.slice(-outputShownMax)}`,
      );
    }
    const most = Math.max(leastProcessorSeconds, timesLonger * processorSeconds);
    measured.push({ ...stage, processorSecondsMax: Math.ceil(most) });
  }
  return measured;
}

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
      if (verdict === 'survived') ({ verdict } = await runStage(relatedFirst(stage, mutant), copy));
    }
    writeFileSync(path, original);
    trial.onVerdict(mutant, verdict);
  }
}

/** The test of the mutated file is the most likely to fail. */
function relatedFirst(stage: MeasuredStage, { file }: Mutant): MeasuredStage {
  const isRelated = (test: string): boolean => basename(test).startsWith(basename(file, '.ts'));
  return {
    ...stage,
    tests: [...stage.tests.filter(isRelated), ...stage.tests.filter((test) => !isRelated(test))],
  };
}

async function runStage(
  { tests, postgres, processorSecondsMax }: MeasuredStage,
  copy: string,
): Promise<{ verdict: Verdict; output: string; processorSeconds: number }> {
  // Deleted with everything that a killed run leaves behind.
  const temporary = mkdtempSync(join(copy, '..', 'tmp-'));
  // Postgres, which runs as another user, must be able to pass through.
  chmodSync(temporary, 0o711);
  const words = [...(postgres ? [] : withoutPostgres), ...tests.map((test) => `./${test}`)];
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
  // Not awaited: processes that the run has started may keep its output open.
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

/** Servers of the run may write for some seconds after its end. */
async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}
