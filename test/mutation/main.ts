/**
 * `npm run mutate`: puts small faults into what must not go wrong, one at a time, and runs the tests over each. A fault that no
 * test sees has survived; fewer than one in ten may, in each area. Works on copies, at a low priority.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { configurationExitCode } from '#runtime/process/start-error.ts';
import { type Area, copied } from './areas.ts';
import { type MutateArguments, MutateArgumentsError, mutateHelp, parseMutateArguments } from './arguments.ts';
import { findMutants, type Mutant } from './find-mutants.ts';
import { judgeMutants, type Verdict } from './judge-mutants.ts';

const project = join(import.meta.dirname, '..', '..');
const mostSurvivorsPercent = 10;
const lowPriority = 10;
const progressEvery = 10;

const asked = readArguments();
setPriority(lowPriority);
const results: string[] = [];
let areTooMany = false;
for (const area of asked.areas) {
  const percent = await mutate(area, asked);
  if (percent >= mostSurvivorsPercent) areTooMany = true;
}
console.log(`\n${results.join('\n')}`);
process.exit(areTooMany ? 1 : 0);

function readArguments(): MutateArguments {
  try {
    const given = parseMutateArguments(process.argv.slice(2));
    if (given !== null) return given;
    console.log(mutateHelp);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof MutateArgumentsError)) throw error;
    console.error(`${error.message}\n\n${mutateHelp}`);
    process.exit(configurationExitCode);
  }
}

/** @returns how many of the area's mutants survived, in percent */
async function mutate({ name, subjects, stages }: Area, given: MutateArguments): Promise<number> {
  const files = subjects.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(project)]).toSorted();
  const all = files.flatMap((file) => findMutants(file, readFileSync(join(project, file), 'utf8')));
  const mutants = draw(
    all.filter(
      (mutant) => given.words.length === 0 || given.words.some((word) => placeOf(mutant).includes(word)),
    ),
    given,
  );
  console.log(`${name}: ${mutants.length} of the ${all.length} mutants of ${files.length} files`);
  const counts: Record<Verdict, number> = { killed: 0, 'timed out': 0, survived: 0 };
  const scratch = mkdtempSync(join(tmpdir(), 'hub-mutants-'));
  // The Postgres of the tests runs as another user, who has to get through.
  chmodSync(scratch, 0o711);
  try {
    await judgeMutants({
      project,
      copied,
      mutants,
      stages,
      scratch,
      places: given.places,
      onVerdict: (mutant, verdict) => {
        counts[verdict] += 1;
        if (verdict !== 'killed') console.log(`${verdict}: ${placeOf(mutant)} ${mutant.change}`);
        const done = counts.killed + counts['timed out'] + counts.survived;
        if (done % progressEvery === 0)
          console.log(`${done} of ${mutants.length}, ${counts.survived} survived`);
      },
    });
  } finally {
    // Servers that a run has started may take some seconds to see that it is over.
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
  }
  const percent = mutants.length === 0 ? 0 : (counts.survived / mutants.length) * 100;
  results.push(
    `${name}: ${counts.survived} of ${mutants.length} mutants survived (${percent.toFixed(1)} %), ${counts['timed out']} ran on past their time`,
  );
  return percent;
}

function draw(mutants: readonly Mutant[], { sample, seed }: MutateArguments): readonly Mutant[] {
  if (sample === null || sample >= mutants.length) return mutants;
  const length = { minLength: sample, maxLength: sample };
  const [drawn = []] = fc.sample(fc.subarray([...mutants], length), { seed, numRuns: 1 });
  console.log(`Drawn with --seed ${seed}:`);
  for (const mutant of drawn) console.log(`  ${placeOf(mutant)} ${mutant.change}`);
  return drawn;
}

function placeOf({ file, line }: Mutant): string {
  return `${file}:${line}`;
}
