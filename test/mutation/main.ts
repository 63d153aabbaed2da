/**
 * `npm run mutate`: puts small faults into the rules, one at a time, and runs the tests against each. In each area
 * fewer than one in ten may survive. Works on copies, at a low priority.
 *
 * Not Stryker: it has no runner for `bun:test` (stryker-js issue 4439), its command runner cannot try the fast tests
 * first, and its mutators do not know the query builder and SQL, where most rules of the ledger and the seats are.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import fc from 'fast-check';
import { wholeNumber } from '#cli/hub/arguments.ts';
import { configurationExitCode } from '#runtime/process/start-error.ts';
import type { Defence } from '#test/api/oauth/defences.ts';
import { type Area, areas, copied } from './areas.ts';
import { findMutants, type Mutant } from './find-mutants.ts';
import { judgeMutants, type Verdict } from './judge-mutants.ts';

interface MutateOptions {
  readonly area?: readonly string[];
  readonly sample?: number;
  readonly seed: number;
  readonly workers: number;
}

const project = join(import.meta.dirname, '..', '..');
const survivorsPercentMax = 10;
const lowPriority = 10;
const progressEvery = 10;
const numberMax = 1_000_000_000;
const areaNames = areas.map(({ name }) => name);

const command = new Command('npm run mutate --')
  .description('Puts small faults into the code, one at a time, and runs the tests that must detect them.')
  .argument('[places...]', 'only mutants whose place contains one: read-json, ledger.ts, ledger.ts:120')
  .option('--area <name>', `${areaNames.join(', ')}; repeatable, all by default`, addArea)
  .option('--sample <n>', 'only n mutants of each area, drawn by the seed', wholeNumber(1, numberMax))
  .option('--seed <n>', 'of the sample', wholeNumber(0, numberMax), Date.now() % numberMax)
  .option('--workers <n>', 'mutants tried at once', wholeNumber(1, 64), 2)
  // 1 means that too many mutants survived.
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : configurationExitCode))
  .parse();
const options: MutateOptions = command.opts();
const places: readonly string[] = command.args;

setPriority(lowPriority);
const results: string[] = [];
let tooMany = false;
for (const area of areas.filter(({ name }) => options.area?.includes(name) ?? true)) {
  const percent = await mutate(area);
  if (percent >= survivorsPercentMax) tooMany = true;
}
console.log(`\n${results.join('\n')}`);
process.exit(tooMany ? 1 : 0);

function addArea(name: string, earlier: readonly string[] = []): readonly string[] {
  if (!areaNames.includes(name)) throw new InvalidArgumentError(`The areas are ${areaNames.join(', ')}.`);
  return [...earlier, name];
}

/** @returns the survivors in percent */
async function mutate({ name, subjects, stages, defences = [] }: Area): Promise<number> {
  const files = subjects.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(project)]).toSorted();
  const sourceOf = (file: string): string => readFileSync(join(project, file), 'utf8');
  const all = [
    ...files.flatMap((file) => findMutants(file, sourceOf(file))),
    ...defences.map((defence) => withoutDefence(defence, sourceOf(defence.file))),
  ];
  const mutants = draw(
    all.filter((mutant) => places.length === 0 || places.some((place) => placeOf(mutant).includes(place))),
  );
  console.log(`${name}: ${mutants.length} of the ${all.length} mutants of ${files.length} files`);
  const counts: Record<Verdict, number> = { killed: 0, 'timed out': 0, survived: 0 };
  const scratch = mkdtempSync(join(tmpdir(), 'hub-mutants-'));
  // Postgres, which runs as another user, must be able to pass through.
  chmodSync(scratch, 0o711);
  try {
    await judgeMutants({
      project,
      copied,
      mutants,
      stages,
      scratch,
      workers: options.workers,
      onVerdict: (mutant, verdict) => {
        counts[verdict] += 1;
        if (verdict !== 'killed') console.log(`${verdict}: ${placeOf(mutant)} ${mutant.change}`);
        const done = counts.killed + counts['timed out'] + counts.survived;
        if (done % progressEvery === 0)
          console.log(`${done} of ${mutants.length}, ${counts.survived} survived`);
      },
    });
  } finally {
    // Servers of a run may take some seconds to end.
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
  }
  const percent = mutants.length === 0 ? 0 : (counts.survived / mutants.length) * 100;
  results.push(
    `${name}: ${counts.survived} of ${mutants.length} mutants survived (${percent.toFixed(1)}%), ${counts['timed out']} timed out`,
  );
  return percent;
}

function draw(mutants: readonly Mutant[]): readonly Mutant[] {
  const { sample, seed } = options;
  if (sample === undefined || sample >= mutants.length) return mutants;
  const length = { minLength: sample, maxLength: sample };
  const [drawn = []] = fc.sample(fc.subarray([...mutants], length), { seed, numRuns: 1 });
  console.log(`Drawn with --seed ${seed}:`);
  for (const mutant of drawn) console.log(`  ${placeOf(mutant)} ${mutant.change}`);
  return drawn;
}

/** @throws Error if the code of the defence does not occur exactly once */
function withoutDefence({ attack, file, code, without }: Defence, source: string): Mutant {
  const [before = '', after, ...others] = source.split(code);
  if (after === undefined || others.length > 0) throw new Error(`${file} does not contain once: ${code}`);
  return { file, line: before.split('\n').length, change: attack, source: before + without + after };
}

function placeOf({ file, line }: Mutant): string {
  return `${file}:${line}`;
}
